package dev.pvcpopulators.it.operator;

import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.cluster.ControlPlane;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.storage.StorageClassBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A real control plane with a fake node, fake provisioners, and the operator's kinds and account.
/// The cluster also has the sources from which the operator fills claims, see [Images].
/// [#startOperator] starts the operator.
final class Cluster implements AutoCloseable {
  /// StorageClass with immediate binding.
  static final String IMMEDIATE = "pages";

  /// StorageClass with late binding. The provisioner creates a volume only after the scheduler has
  /// selected a node for a pod that uses the claim.
  static final String LATE = "late-pages";

  /// StorageClass of a provisioner that ignores data sources.
  static final String IGNORANT = "ignorant-pages";

  /// StorageClass that lends the volumes of [#IGNORANT].
  static final String LENDING = "lent-pages";

  /// StorageClass that lends volumes, with late binding.
  static final String LATE_LENDING = "late-lent-pages";

  /// A cordoned node.
  static final String CORDONED = "cordoned-node";

  /// StorageClass of claims whose disks are streamed.
  static final String STREAM = "disk-stream";

  /// Provisioner of [#IMMEDIATE] and [#LATE].
  static final String PAGES = "pages.test/provisioner";

  private static final String LATE_IGNORANT = "late-ignorant-pages";
  private static final String STREAMS = "pvcpopulators.dev/stream";
  private static final String LEND = "pvcpopulators.dev/lend";
  private static final String IGNORANT_PAGES = "ignorant.test/provisioner";
  private static final String AT_ONCE = "Immediate";
  private static final String WITH_CONSUMER = "WaitForFirstConsumer";

  private final ControlPlane plane;
  private final KubernetesClient client;
  private final Path logs;
  private final Images images;
  private final ProcessNode node;
  private final PageProvisioner provisioner;
  private final PageProvisioner ignorant;
  private final Witness witness;
  private final String token;
  private final Path key;
  private final List<Path> operatorLogs = new CopyOnWriteArrayList<>();
  private @Nullable OperatorProcess operator;

  private Cluster(ControlPlane plane, Images images, Path directory) throws IOException {
    this.plane = plane;
    this.images = images;
    this.logs = Files.createDirectory(directory.resolve("logs"));
    this.client =
        new KubernetesClientBuilder()
            .withConfig(Config.fromKubeconfig(plane.admin().toFile()))
            .build();
    create(IMMEDIATE, PAGES, AT_ONCE, Map.of());
    create(LATE, PAGES, WITH_CONSUMER, Map.of());
    create(IGNORANT, IGNORANT_PAGES, AT_ONCE, Map.of());
    create(LATE_IGNORANT, IGNORANT_PAGES, WITH_CONSUMER, Map.of());
    create(LENDING, LEND, AT_ONCE, Map.of("class", IGNORANT));
    create(LATE_LENDING, LEND, WITH_CONSUMER, Map.of("class", LATE_IGNORANT));
    client.nodes().resource(cordoned()).create();
    create(STREAM, STREAMS, AT_ONCE, Map.of("cacheClass", IMMEDIATE));
    this.provisioner =
        PageProvisioner.start(client, Files.createDirectory(directory.resolve("volumes")), PAGES);
    this.ignorant =
        PageProvisioner.ignorant(
            client, Files.createDirectory(directory.resolve("ignorant")), IGNORANT_PAGES);
    this.node =
        ProcessNode.start(
            client, Files.createDirectory(directory.resolve("pods")), plane.certificate());
    this.token = OperatorProcess.install(plane);
    this.witness = Witness.of(client);
    this.key =
        Files.writeString(directory.resolve("operator-key"), "a key of the tests' operators");
  }

  /// Starts the control plane, the node and the provisioners.
  ///
  /// @param directory an empty directory
  static Cluster start(Path directory) throws IOException, InterruptedException {
    Images images = Images.in(Files.createDirectory(directory.resolve("images")));
    ControlPlane plane = ControlPlane.start(Files.createDirectory(directory.resolve("plane")));
    try {
      return new Cluster(plane, images, directory);
    } catch (IOException | RuntimeException | AssertionError e) {
      System.out.println(plane.logs());
      plane.close();
      images.close();
      throw e;
    }
  }

  private static Node cordoned() {
    return new NodeBuilder()
        .withNewMetadata()
        .withName(CORDONED)
        .addToLabels("kubernetes.io/hostname", CORDONED)
        .endMetadata()
        .withNewSpec()
        .withUnschedulable(true)
        .endSpec()
        .build();
  }

  /// Creates a StorageClass.
  void create(String name, String provisionerName, String binding, Map<String, String> parameters) {
    client
        .storage()
        .v1()
        .storageClasses()
        .resource(
            new StorageClassBuilder()
                .withNewMetadata()
                .withName(name)
                .endMetadata()
                .withProvisioner(provisionerName)
                .withReclaimPolicy("Delete")
                .withVolumeBindingMode(binding)
                .withParameters(parameters)
                .build())
        .create();
  }

  /// Starts an operator with the rights of the operator's account. This method does not wait until
  /// the operator is ready. The caller must close the operator.
  ///
  /// @param server the URL at which the operator connects to the API server
  /// @param settings additional environment variables of the operator
  OperatorProcess startOperator(String server, Map<String, String> settings) throws IOException {
    int number = operatorLogs.size();
    Path kubeconfig = plane.kubeconfig("operator-" + number, token, server);
    Path log = logs.resolve("operator-" + number + ".log");
    operatorLogs.add(log);
    Map<String, String> all = new HashMap<>(images.settings());
    // With leader election, a new operator waits up to 15 s until the Lease of a killed operator
    // expires.
    all.put("OPERATOR_LEADER_ELECTION", "false");
    all.put("OPERATOR_KEY_FILE", key.toString());
    all.put("OPERATOR_ANSWER_LIMIT", "20s");
    all.putAll(settings);
    return OperatorProcess.start(log, kubeconfig, all);
  }

  /// Starts the operator that most tests share, and waits until the operator is ready.
  void startOperator() throws IOException, InterruptedException {
    startOperator(Map.of());
  }

  /// Starts the operator that most tests share, with additional settings, and waits until the
  /// operator is ready.
  void startOperator(Map<String, String> settings) throws IOException, InterruptedException {
    operator = startOperator(plane.address(), settings);
    operator.awaitReady();
  }

  /// Returns the operator that most tests share.
  OperatorProcess operator() {
    return Objects.requireNonNull(operator, "no operator was started");
  }

  /// Sends SIGTERM to the operator that most tests share, and waits until the operator ends.
  ///
  /// @return the exit code of the operator
  int stopOperator() throws IOException, InterruptedException {
    return operator().terminate();
  }

  /// Returns a client with all rights.
  KubernetesClient client() {
    return client;
  }

  ControlPlane plane() {
    return plane;
  }

  Images images() {
    return images;
  }

  PageProvisioner provisioner() {
    return provisioner;
  }

  ProcessNode node() {
    return node;
  }

  Witness witness() {
    return witness;
  }

  /// Returns all requests of operators until now, including refused requests.
  Audit audit() throws IOException {
    return Audit.read(plane.auditLog());
  }

  /// Creates a namespace, and waits until pods can be created in it.
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

  /// Runs kubectl with all rights.
  Command.Ran kubectl(String... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of("kubectl", "--kubeconfig=" + plane.admin()));
    command.addAll(List.of(arguments));
    return Command.tried(command);
  }

  /// Returns the pods, Secrets, claims and events of a namespace, and the lines of the audit log
  /// that name the namespace, for a failed test's evidence file.
  String evidence(String namespace) throws IOException {
    String objects =
        kubectl("get", "--namespace=" + namespace, "-o=wide", "pods,secrets,pvc,events").out();
    try (Stream<String> requests = Files.lines(plane.auditLog())) {
      return requests
          .filter(line -> line.contains('"' + namespace + '"'))
          .collect(Collectors.joining("\n", objects, "\n"));
    }
  }

  /// Returns the logs of the servers and of the operators, and the node's errors, for a failed
  /// test's evidence file.
  String evidence() throws IOException {
    StringBuilder evidence = new StringBuilder(plane.logs());
    evidence.append(String.join("\n", node.complaints()));
    for (Path log : operatorLogs) {
      evidence.append('\n').append(log).append('\n').append(Files.readString(log));
    }
    return evidence.toString();
  }

  @Override
  public void close() throws IOException {
    if (operator != null) {
      operator.close();
    }
    witness.close();
    node.close();
    provisioner.close();
    ignorant.close();
    client.close();
    plane.close();
    images.close();
  }
}
