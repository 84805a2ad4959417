package dev.pvcpopulators.populate.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.operator.api.DiskPopulation;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceQuota;
import io.fabric8.kubernetes.api.model.ResourceQuotaBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyBuilder;
import io.fabric8.kubernetes.api.model.storage.StorageClass;
import io.fabric8.kubernetes.api.model.storage.StorageClassBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Checks that each single fault leads to one finding, and that a healthy cluster leads to no
/// finding.
final class DiagnosisTest {
  /// A healthy cluster. A test changes fields of the cluster to make a fault.
  private static final class Cluster {
    private Optional<Boolean> namespaceExists = Optional.of(true);
    private Set<String> kinds = Set.of("diskimages", "diskpopulations", "dynamicvolumes");
    private Optional<List<GenericKubernetesResource>> populators =
        Optional.of(List.of(populator()));
    private Optional<List<Deployment>> operators = Optional.of(List.of(operator(2)));
    private Optional<Boolean> keepsSource = Optional.of(true);
    private List<StorageClass> classes =
        List.of(
            storageClass("fast", "csi.test", null),
            storageClass("lent", "pvcpopulators.dev/lend", "fast"));
    private Optional<String> chosen = Optional.of("fast");
    private List<ResourceQuota> quotas = List.of(quota("persistentvolumeclaims", "10", "8"));
    private List<NetworkPolicy> policies =
        List.of(policy("deny", null), policy("fill", "pvcpopulators.dev/population"));
    private List<DiskPopulation> populations = List.of(population("vm1", "Bound"));
    private List<Event> events =
        List.of(event("Scheduled", "Successfully assigned disks/iscsi to node1"));
    private List<String> missingRights = List.of();

    private List<Finding> findings() {
      return Diagnosis.of(
          new Surroundings(
              "disks",
              namespaceExists,
              kinds,
              populators,
              operators,
              keepsSource,
              Optional.of(classes),
              chosen,
              quotas,
              policies,
              populations,
              events,
              missingRights,
              List.of()));
    }

    private void assertOnly(String subject, String problem) {
      List<Finding> findings = findings();
      assertEquals(1, findings.size(), findings::toString);
      assertEquals(subject, findings.getFirst().subject());
      assertTrue(findings.getFirst().problem().contains(problem), findings::toString);
      assertTrue(!findings.getFirst().remedy().isEmpty(), findings::toString);
    }
  }

  private static GenericKubernetesResource populator() {
    return new GenericKubernetesResourceBuilder()
        .addToAdditionalProperties(
            "sourceKind", Map.of("group", "pvcpopulators.dev", "kind", "DiskImage"))
        .build();
  }

  private static Deployment operator(int available) {
    return new DeploymentBuilder()
        .withNewMetadata()
        .withNamespace("pvc-populators")
        .withName("operator")
        .endMetadata()
        .withNewStatus()
        .withAvailableReplicas(available)
        .endStatus()
        .build();
  }

  private static StorageClass storageClass(
      String name, String provisioner, @Nullable String lends) {
    return new StorageClassBuilder()
        .withNewMetadata()
        .withName(name)
        .endMetadata()
        .withProvisioner(provisioner)
        .withParameters(lends == null ? Map.of() : Map.of("class", lends))
        .build();
  }

  private static ResourceQuota quota(String resource, String hard, String used) {
    return new ResourceQuotaBuilder()
        .withNewMetadata()
        .withName("team")
        .endMetadata()
        .withNewStatus()
        .addToHard(resource, new Quantity(hard))
        .addToUsed(resource, new Quantity(used))
        .endStatus()
        .build();
  }

  private static NetworkPolicy policy(String name, @Nullable String key) {
    NetworkPolicy policy =
        new NetworkPolicyBuilder()
            .withNewMetadata()
            .withName(name)
            .endMetadata()
            .withNewSpec()
            .withNewPodSelector()
            .endPodSelector()
            .endSpec()
            .build();
    return key == null
        ? policy
        : new NetworkPolicyBuilder(policy)
            .editSpec()
            .editPodSelector()
            .addNewMatchExpression()
            .withKey(key)
            .withOperator("Exists")
            .endMatchExpression()
            .endPodSelector()
            .endSpec()
            .build();
  }

  private static NetworkPolicy permissive() {
    return new NetworkPolicyBuilder(policy("allow", null))
        .editSpec()
        .addToPolicyTypes("Ingress")
        .addNewIngress()
        .endIngress()
        .endSpec()
        .build();
  }

  private static DiskPopulation population(String name, String message) {
    return Serialization.unmarshal(
        """
        metadata: {name: %s}
        status: {message: "%s"}
        """
            .formatted(name, message),
        DiskPopulation.class);
  }

  private static Event event(String reason, String message) {
    return new EventBuilder()
        .withReason(reason)
        .withMessage(message)
        .withNewInvolvedObject()
        .withKind("Pod")
        .withName("vm1")
        .endInvolvedObject()
        .withNewSource()
        .withHost("node1")
        .endSource()
        .build();
  }

  @Test
  void aHealthyClusterLacksNothing() {
    assertEquals(List.of(), new Cluster().findings());
    Cluster lending = new Cluster();
    lending.chosen = Optional.of("lent");
    lending.populators = Optional.empty();
    assertEquals(List.of(), lending.findings());
  }

  @Test
  void aMissingNamespace() {
    Cluster cluster = new Cluster();
    cluster.namespaceExists = Optional.of(false);
    cluster.assertOnly("Namespace disks", "found none");
    cluster.namespaceExists = Optional.empty();
    assertEquals(List.of(), cluster.findings());
  }

  @Test
  void aMissingKind() {
    Cluster cluster = new Cluster();
    cluster.kinds = Set.of("diskimages", "dynamicvolumes");
    cluster.assertOnly("CustomResourceDefinition diskpopulations.pvcpopulators.dev", "found none");
  }

  @Test
  void noOperator() {
    Cluster cluster = new Cluster();
    cluster.operators = Optional.of(List.of());
    cluster.assertOnly("Deployment operator", "found none");
  }

  @Test
  void anOperatorWithoutReplicas() {
    Cluster cluster = new Cluster();
    cluster.operators = Optional.of(List.of(operator(0)));
    cluster.assertOnly(
        "Deployment operator in namespace pvc-populators", "expected an available replica");
  }

  @Test
  void noVolumePopulator() {
    Cluster cluster = new Cluster();
    cluster.populators = Optional.of(List.of());
    cluster.assertOnly("VolumePopulator diskimages.pvcpopulators.dev", "found none");
  }

  @Test
  void anApiServerThatRemovesDataSources() {
    Cluster cluster = new Cluster();
    cluster.keepsSource = Optional.of(false);
    cluster.assertOnly("API server", "removes it");
  }

  @Test
  void noDefaultClass() {
    Cluster cluster = new Cluster();
    cluster.chosen = Optional.empty();
    cluster.assertOnly("StorageClass", "expected a default class");
  }

  @Test
  void aMissingClass() {
    Cluster cluster = new Cluster();
    cluster.chosen = Optional.of("none");
    cluster.assertOnly("StorageClass none", "found none");
  }

  @Test
  void aClassThatIgnoresDataSources() {
    Cluster cluster = new Cluster();
    for (String provisioner :
        List.of("rancher.io/local-path", "docker.io/hostpath", "kubernetes.io/aws-ebs")) {
      cluster.classes = List.of(storageClass("fast", provisioner, null));
      cluster.assertOnly("StorageClass fast", "found " + provisioner);
    }
    cluster.classes =
        List.of(
            storageClass("fast", "rancher.io/local-path", null),
            storageClass("lent-fast", "pvcpopulators.dev/lend", "fast"));
    cluster.assertOnly("StorageClass fast", "found rancher.io/local-path");
    assertTrue(cluster.findings().getFirst().remedy().contains("--class lent-fast"));
  }

  @Test
  void aClassThatLendsNothing() {
    Cluster cluster = new Cluster();
    cluster.chosen = Optional.of("lent");
    cluster.classes = List.of(storageClass("lent", "pvcpopulators.dev/lend", null));
    cluster.assertOnly("StorageClass lent", "found none");
    cluster.classes = List.of(storageClass("lent", "pvcpopulators.dev/lend", "lent"));
    cluster.assertOnly("StorageClass lent", "found lent");
  }

  @Test
  void anExhaustedQuota() {
    Cluster cluster = new Cluster();
    cluster.quotas = List.of(quota("persistentvolumeclaims", "10", "9"));
    cluster.assertOnly("ResourceQuota team", "expected room for 2 persistentvolumeclaims, found 1");
    cluster.quotas = List.of(quota("requests.storage", "10Gi", "10Gi"));
    cluster.assertOnly("ResourceQuota team", "requests.storage, found 0");
  }

  /// A quota for one storage class limits the claims of this class. The quota also limits the
  /// claims of a class that lends volumes of this class.
  @Test
  void anExhaustedQuotaOfAClass() {
    Cluster cluster = new Cluster();
    String resource = ".storageclass.storage.k8s.io/requests.storage";
    cluster.quotas = List.of(quota("gold" + resource, "0", "0"));
    assertEquals(List.of(), cluster.findings());
    cluster.quotas = List.of(quota("fast" + resource, "0", "0"));
    cluster.assertOnly("ResourceQuota team", "fast" + resource);
    cluster.chosen = Optional.of("lent");
    cluster.assertOnly("ResourceQuota team", "fast" + resource);
  }

  @Test
  void anIsolatedNamespace() {
    Cluster cluster = new Cluster();
    cluster.policies = List.of(policy("deny", null));
    cluster.assertOnly("NetworkPolicy deny", "found none");
    cluster.policies = List.of(policy("deny", null), permissive());
    assertEquals(List.of(), cluster.findings());
    cluster.policies =
        List.of(
            new NetworkPolicyBuilder(permissive())
                .editSpec()
                .addToPolicyTypes("Egress")
                .endSpec()
                .build());
    cluster.assertOnly("NetworkPolicy allow", "found none");
  }

  @Test
  void aRuntimeThatKeepsTheOwnerOfDevices() {
    Cluster cluster = new Cluster();
    cluster.populations =
        List.of(
            population("vm1", "Bound"),
            population("vm2", "exit code 64: Cannot open /dev/volume: EACCES"));
    cluster.assertOnly("Container runtime", "DiskPopulation vm2: exit code 64");
  }

  @Test
  void aNodeWithoutInitiator() {
    for (String reason : List.of("FailedMount", "FailedMapVolume")) {
      Cluster cluster = new Cluster();
      cluster.events = List.of(event(reason, "iscsiadm: Could not load transport iscsi_tcp"));
      cluster.assertOnly("Node node1", "found for pod vm1: iscsiadm: Could not load transport");
    }
  }

  @Test
  void aVolumeOfAnotherKindThatIsNotMounted() {
    Cluster cluster = new Cluster();
    cluster.events =
        List.of(
            event("FailedMount", "mount.nfs: Connection timed out"),
            event("FailedMount", "MountVolume.SetUp failed: secret \"iscsi-chap\" not found"));
    assertEquals(List.of(), cluster.findings());
  }

  @Test
  void missingRights() {
    Cluster cluster = new Cluster();
    cluster.missingRights = List.of("get secrets", "create pods/portforward");
    cluster.assertOnly(
        "Rights in namespace disks", "the right to get secrets, to create pods/portforward");
  }
}
