package dev.pvcpopulators.it.operator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.it.Command;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
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

/// `kubectl populate doctor` finds planted faults, and none in a healthy cluster.
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
    assertFinds(populate, "Deployment operator", OF_PAGES);
    Deployment operator = client.resource(operator(tenant, 0)).create();
    assertFinds(populate, "Deployment operator in namespace " + tenant.namespace(), OF_PAGES);
    client.resource(operator(tenant, 1)).update();
    Waiting.untilTrue(
        "an available replica",
        () ->
            Optional.ofNullable(client.resource(operator).get().getStatus().getAvailableReplicas())
                    .orElse(0)
                > 0);
    assertHealthy(populate, OF_PAGES);
    assertHealthy(populate, "--class=" + Cluster.LENDING);
    assertFinds(populate, "StorageClass");
    assertFinds(populate, "StorageClass none", "--class=none");
    cluster.create("doctor-local", "rancher.io/local-path", "Immediate", Map.of());
    assertFinds(populate, "StorageClass doctor-local", "--class=doctor-local");
    cluster.create("doctor-lent", "pvcpopulators.dev/lend", "Immediate", Map.of("class", "none"));
    assertFinds(populate, "StorageClass doctor-lent", "--class=doctor-lent");
    quota(client, tenant, populate);
    isolation(client, tenant, populate);
    initiator(client, tenant, populate);
    deviceOwner(client, tenant, populate);
    populator(cluster, populate);
    Command.Ran stranger = populate.run("doctor", OF_PAGES, "--as=stranger", "-o", "json");
    assertTrue(
        subjects(stranger).contains("Rights in namespace " + tenant.namespace()),
        stranger::toString);
    assertHealthy(populate, OF_PAGES);
    client.resource(operator).delete();
  }

  private static void quota(KubernetesClient client, Tenant tenant, Populate populate)
      throws IOException, InterruptedException {
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
    assertFinds(populate, "ResourceQuota small", OF_PAGES);
    client.resource(quota).delete();
  }

  private static void isolation(KubernetesClient client, Tenant tenant, Populate populate)
      throws IOException {
    NetworkPolicy policy =
        client
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
    assertFinds(populate, "NetworkPolicy deny", OF_PAGES);
    client.resource(policy).delete();
  }

  private static void initiator(KubernetesClient client, Tenant tenant, Populate populate)
      throws IOException {
    Event event =
        client
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
    assertFinds(populate, "Node node1", OF_PAGES);
    client.resource(event).delete();
  }

  private static void deviceOwner(KubernetesClient client, Tenant tenant, Populate populate)
      throws IOException {
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
    assertFinds(populate, "Container runtime", OF_PAGES);
    client.resource(made).delete();
    client.resource(claim).delete();
  }

  /// Only a cluster with the kind VolumePopulator needs an object of this kind.
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
    assertFinds(populate, "VolumePopulator diskimages.pvcpopulators.dev", OF_PAGES);
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

  private static void assertFinds(Populate populate, String subject, String... options)
      throws IOException {
    Command.Ran ran = examined(populate, options);
    assertEquals(UNAVAILABLE, ran.status(), ran::toString);
    assertEquals(List.of(subject), subjects(ran), ran::toString);
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

  /// Returns a Deployment with the labels of the operator's; the operator of the tests runs outside
  /// of the cluster.
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
