package dev.pvcpopulators.it.operator;

import dev.pvcpopulators.it.cluster.ControlPlane;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.storage.StorageClassBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The real control plane, with a fake node and fake provisioners.
final class Cluster implements AutoCloseable {
  /// Class of volumes that are made at once.
  static final String IMMEDIATE = "pages";

  /// Class of volumes that are made when a pod of their claim has a node.
  static final String LATE = "late-pages";

  /// Class of a provisioner that ignores data sources.
  static final String IGNORANT = "ignorant-pages";

  /// Class that lends the volumes of [#IGNORANT].
  static final String LENDING = "lent-pages";

  private static final String LEND = "pvcpopulators.dev/lend";
  private static final String PAGES = "pages.test/provisioner";
  private static final String IGNORANT_PAGES = "ignorant.test/provisioner";

  private final ControlPlane plane;
  private final KubernetesClient client;
  private final ProcessNode node;
  private final PageProvisioner provisioner;
  private final PageProvisioner ignorant;
  private @Nullable OperatorProcess operator;

  private Cluster(ControlPlane plane, Path directory) throws IOException {
    this.plane = plane;
    this.client =
        new KubernetesClientBuilder()
            .withConfig(Config.fromKubeconfig(plane.admin().toFile()))
            .build();
    create(storageClass(IMMEDIATE, PAGES, "Immediate"));
    create(storageClass(LATE, PAGES, "WaitForFirstConsumer"));
    create(storageClass(IGNORANT, IGNORANT_PAGES, "Immediate"));
    create(storageClass(LENDING, LEND, "Immediate").addToParameters("class", IGNORANT));
    this.provisioner =
        PageProvisioner.start(client, Files.createDirectory(directory.resolve("volumes")), PAGES);
    this.ignorant =
        PageProvisioner.ignorant(
            client, Files.createDirectory(directory.resolve("ignorant")), IGNORANT_PAGES);
    this.node = ProcessNode.start(client, Files.createDirectory(directory.resolve("pods")));
  }

  /// Starts all of it.
  ///
  /// @param directory an empty one
  static Cluster start(Path directory) throws IOException, InterruptedException {
    ControlPlane plane = ControlPlane.start(Files.createDirectory(directory.resolve("plane")));
    try {
      return new Cluster(plane, directory);
    } catch (IOException | RuntimeException e) {
      System.out.println(plane.logs());
      plane.close();
      throw e;
    }
  }

  private static StorageClassBuilder storageClass(
      String name, String provisionerName, String binding) {
    return new StorageClassBuilder()
        .withNewMetadata()
        .withName(name)
        .endMetadata()
        .withProvisioner(provisionerName)
        .withReclaimPolicy("Delete")
        .withVolumeBindingMode(binding);
  }

  private void create(StorageClassBuilder storageClass) {
    client.storage().v1().storageClasses().resource(storageClass.build()).create();
  }

  /// Installs the operator as its page says, but for the Deployment, and starts it with the rights
  /// of its own account.
  ///
  /// @param environment `OPERATOR_ENVIRONMENT`
  void startOperator(String environment) throws IOException, InterruptedException {
    operator = OperatorProcess.start(plane, environment);
  }

  /// Ends the operator by SIGTERM.
  ///
  /// @return its exit code
  int stopOperator() throws IOException, InterruptedException {
    return Objects.requireNonNull(operator, "no operator was started").terminate();
  }

  /// As a user that may do everything.
  KubernetesClient client() {
    return client;
  }

  PageProvisioner provisioner() {
    return provisioner;
  }

  ProcessNode node() {
    return node;
  }

  Path auditLog() {
    return plane.auditLog();
  }

  /// A new namespace, once pods can be made in it.
  String namespace(String name) throws InterruptedException {
    client
        .namespaces()
        .resource(new NamespaceBuilder().withNewMetadata().withName(name).endMetadata().build())
        .create();
    Waiting.until(
        "the ServiceAccount of " + name,
        () ->
            Optional.ofNullable(
                client.serviceAccounts().inNamespace(name).withName("default").get()));
    return name;
  }

  /// A claim as people write it; not created yet.
  static PersistentVolumeClaim claim(
      String namespace, String name, String storageClass, String mode, String size) {
    return new PersistentVolumeClaimBuilder()
        .withNewMetadata()
        .withNamespace(namespace)
        .withName(name)
        .endMetadata()
        .withNewSpec()
        .withStorageClassName(storageClass)
        .withVolumeMode(mode)
        .withAccessModes("ReadWriteOnce")
        .withNewResources()
        .addToRequests("storage", new Quantity(size))
        .endResources()
        .endSpec()
        .build();
  }

  /// The logs of the servers and what the node complains of, for a test that failed.
  String evidence() throws IOException {
    return plane.logs()
        + String.join("\n", node.complaints())
        + (operator == null ? "" : operator.tail());
  }

  @Override
  public void close() throws IOException {
    if (operator != null) {
      operator.close();
    }
    node.close();
    provisioner.close();
    ignorant.close();
    client.close();
    plane.close();
  }
}
