package dev.pvcpopulators.it.operator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.it.Command;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceQuota;
import io.fabric8.kubernetes.api.model.ResourceQuotaBuilder;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinitionBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Checks that `kubectl populate doctor` finds the faults that this test creates. In a healthy
/// cluster, the command must find no fault. Each start of the command takes a second of CPU time,
/// so the test creates several faults before it starts the command. DiagnosisTest checks each fault
/// separately.
@Tag("tools")
@ExtendWith(SharedCluster.class)
final class PopulateDoctorTest {
  private static final int UNAVAILABLE = 69;
  private static final Map<String, String> LABELS =
      Map.of(
          "app.kubernetes.io/name", "operator",
          "app.kubernetes.io/part-of", "pvc-populators");
  private static final String OF_PAGES = "--class=" + Cluster.IMMEDIATE;

  @Test
  void findsEachPlantedFaultAndNoneInAHealthyCluster(Cluster cluster)
      throws IOException, InterruptedException {
    Tenant tenant = Tenant.in(cluster, "populate-doctor");
    KubernetesClient client = cluster.client();
    Populate populate = Populate.at(cluster, tenant.namespace(), cluster.plane().address());
    assertFinds(populate, List.of("Deployment operator", "StorageClass none"), "--class=none");
    Deployment operator = client.resource(operator(tenant, 0)).create();
    String unavailable = "Deployment operator in namespace " + tenant.namespace();
    assertFinds(populate, List.of(unavailable, "StorageClass"));
    client.resource(operator(tenant, 1)).update();
    Waiting.untilTrue(
        "an available replica",
        () ->
            Optional.ofNullable(client.resource(operator).get().getStatus().getAvailableReplicas())
                    .orElse(0)
                > 0);
    assertHealthy(populate, OF_PAGES);
    assertHealthy(populate, "--class=" + Cluster.LENDING);
    namespace(cluster, tenant, populate);
    populator(cluster, populate);
    Command.Ran stranger = populate.run("doctor", OF_PAGES, "--as=stranger", "-o", "json");
    assertTrue(
        subjects(stranger).contains("Rights in namespace " + tenant.namespace()),
        stranger::toString);
    client.resource(operator).delete();
  }

  /// Checks faults in the namespace, and a class whose provisioner ignores data sources.
  private static void namespace(Cluster cluster, Tenant tenant, Populate populate)
      throws IOException, InterruptedException {
    cluster.create("doctor-local", "rancher.io/local-path", "Immediate", Map.of());
    List<HasMetadata> faults = new ArrayList<>();
    // `deviceOwner` creates a claim before the quota is created, because the API server refuses
    // claims until it has seen the status of a new quota.
    faults.addAll(deviceOwner(tenant));
    faults.add(quota(tenant));
    faults.add(isolation(tenant));
    faults.add(initiator(tenant));
    assertFinds(
        populate,
        List.of(
            "StorageClass doctor-local",
            "ResourceQuota small",
            "NetworkPolicy deny",
            "Container runtime",
            "Node node1"),
        "--class=doctor-local");
    faults.reversed().forEach(fault -> cluster.client().resource(fault).delete());
  }

  private static ResourceQuota quota(Tenant tenant) throws InterruptedException {
    KubernetesClient client = tenant.client();
    ResourceQuota quota =
        client
            .resource(
                new ResourceQuotaBuilder()
                    .withNewMetadata()
                    .withNamespace(tenant.namespace())
                    .withName("small")
                    .endMetadata()
                    .withNewSpec()
                    .addToHard("persistentvolumeclaims", new Quantity("1"))
                    .endSpec()
                    .build())
            .create();
    Waiting.untilTrue(
        "the status of the quota",
        () -> client.resource(quota).get().getStatus().getHard() != null);
    return quota;
  }

  private static NetworkPolicy isolation(Tenant tenant) {
    return tenant
        .client()
        .resource(
            new NetworkPolicyBuilder()
                .withNewMetadata()
                .withNamespace(tenant.namespace())
                .withName("deny")
                .endMetadata()
                .withNewSpec()
                .withNewPodSelector()
                .endPodSelector()
                .endSpec()
                .build())
        .create();
  }

  private static Event initiator(Tenant tenant) {
    return tenant
        .client()
        .resource(
            new EventBuilder()
                .withNewMetadata()
                .withNamespace(tenant.namespace())
                .withName("vm1.1")
                .endMetadata()
                .withType("Warning")
                .withReason("FailedMapVolume")
                .withMessage("MapVolume.WaitForAttach failed: iscsiadm: executable not found")
                .withNewInvolvedObject()
                .withKind("Pod")
                .withNamespace(tenant.namespace())
                .withName("vm1")
                .endInvolvedObject()
                .withNewSource()
                .withComponent("kubelet")
                .withHost("node1")
                .endSource()
                .build())
        .create();
  }

  /// Creates a claim, and a population that reports `EACCES` for the volume's device.
  private static List<HasMetadata> deviceOwner(Tenant tenant) {
    KubernetesClient client = tenant.client();
    PersistentVolumeClaim claim =
        client
            .resource(
                new PersistentVolumeClaimBuilder()
                    .withNewMetadata()
                    .withNamespace(tenant.namespace())
                    .withName("vm1")
                    .endMetadata()
                    .withNewSpec()
                    .withAccessModes("ReadWriteOnce")
                    .withStorageClassName("none")
                    .withNewResources()
                    .addToRequests("storage", new Quantity("1Mi"))
                    .endResources()
                    .endSpec()
                    .build())
            .create();
    GenericKubernetesResource failed =
        Serialization.unmarshal(
            """
            apiVersion: pvcpopulators.dev/v1alpha1
            kind: DiskPopulation
            metadata:
              namespace: %1$s
              name: vm1
              ownerReferences:
                - apiVersion: v1
                  kind: PersistentVolumeClaim
                  name: vm1
                  uid: "%2$s"
                  controller: true
            spec: {claimUID: "%2$s", imageName: vm1, image: {upload: {}}}
            status: {message: "Cannot open /dev/volume: EACCES"}
            """
                .formatted(tenant.namespace(), claim.getMetadata().getUid()),
            GenericKubernetesResource.class);
    GenericKubernetesResource made = client.resource(failed).create();
    made.setAdditionalProperty("status", failed.get("status"));
    client.resource(made).updateStatus();
    return List.of(claim, made);
  }

  /// Checks two faults: a lending class that refers to a missing class, and a missing
  /// VolumePopulator. Only a cluster with the kind VolumePopulator needs an object of this kind.
  private static void populator(Cluster cluster, Populate populate)
      throws IOException, InterruptedException {
    KubernetesClient client = cluster.client();
    CustomResourceDefinition kind =
        client
            .resource(
                new CustomResourceDefinitionBuilder()
                    .withNewMetadata()
                    .withName("volumepopulators.populator.storage.k8s.io")
                    .addToAnnotations(
                        "api-approved.kubernetes.io",
                        "https://github.com/kubernetes/enhancements/pull/2934")
                    .endMetadata()
                    .withNewSpec()
                    .withGroup("populator.storage.k8s.io")
                    .withScope("Cluster")
                    .withNewNames()
                    .withKind("VolumePopulator")
                    .withListKind("VolumePopulatorList")
                    .withPlural("volumepopulators")
                    .withSingular("volumepopulator")
                    .endNames()
                    .addNewVersion()
                    .withName("v1beta1")
                    .withServed(true)
                    .withStorage(true)
                    .withNewSchema()
                    .withNewOpenAPIV3Schema()
                    .withType("object")
                    .withXKubernetesPreserveUnknownFields(true)
                    .endOpenAPIV3Schema()
                    .endSchema()
                    .endVersion()
                    .endSpec()
                    .build())
            .create();
    Waiting.untilTrue(
        "the kind VolumePopulator",
        () -> client.getApiResources("populator.storage.k8s.io/v1beta1") != null);
    cluster.create("doctor-lent", "pvcpopulators.dev/lend", "Immediate", Map.of("class", "none"));
    assertFinds(
        populate,
        List.of("VolumePopulator diskimages.pvcpopulators.dev", "StorageClass doctor-lent"),
        "--class=doctor-lent");
    cluster
        .kubectl(
            "apply",
            "-k",
            Command.root().resolve("kubernetes/examples/volume-populator").toString())
        .ok();
    assertHealthy(populate, OF_PAGES);
    client.resource(kind).delete();
    Waiting.untilTrue(
        "the end of the kind VolumePopulator",
        () -> client.getApiResources("populator.storage.k8s.io/v1beta1") == null);
  }

  /// Expects findings about exactly these objects.
  private static void assertFinds(Populate populate, List<String> subjects, String... options)
      throws IOException {
    Command.Ran ran = examined(populate, options);
    assertEquals(UNAVAILABLE, ran.status(), ran::toString);
    assertEquals(subjects, subjects(ran), ran::toString);
  }

  private static void assertHealthy(Populate populate, String... options) throws IOException {
    Command.Ran ran = examined(populate, options);
    assertEquals(0, ran.status(), ran::toString);
    assertEquals(List.of(), subjects(ran), ran::toString);
  }

  private static Command.Ran examined(Populate populate, String... options) {
    List<Object> arguments = new ArrayList<>(List.of("doctor", "-o", "json"));
    arguments.addAll(List.of(options));
    return populate.run(arguments.toArray());
  }

  private static List<String> subjects(Command.Ran ran) throws IOException {
    return Populate.result(ran)
        .path("findings")
        .valueStream()
        .map(finding -> finding.path("subject").asText())
        .distinct()
        .toList();
  }

  /// Returns a Deployment with the labels of the operator's Deployment. In these tests, the
  /// operator has no Deployment, because the operator runs outside of the cluster.
  private static Deployment operator(Tenant tenant, int replicas) {
    return new DeploymentBuilder()
        .withNewMetadata()
        .withNamespace(tenant.namespace())
        .withName("operator")
        .withLabels(LABELS)
        .endMetadata()
        .withNewSpec()
        .withReplicas(replicas)
        .withNewSelector()
        .withMatchLabels(LABELS)
        .endSelector()
        .withNewTemplate()
        .withNewMetadata()
        .withLabels(LABELS)
        .endMetadata()
        .withNewSpec()
        .addNewContainer()
        .withName("sleep")
        .withImage("registry.test/sleep:1")
        .withCommand("sleep", "infinity")
        .endContainer()
        .endSpec()
        .endTemplate()
        .endSpec()
        .build();
  }
}
