package dev.pvcpopulators.it.operator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.cluster.ControlPlane;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/// Installs, upgrades and uninstalls the operator with Helm and with `make`. Compares all objects
/// of the cluster before and after these steps.
///
/// This test has its own API server for two reasons. The names of cluster-wide objects are fixed,
/// and no other test may change objects at the same time. This API server has no node, so no pod
/// runs.
@Tag("tools")
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("installation")
final class InstallationTest {
  private static final String NAMESPACE = HelmChart.RELEASE;
  private static final String GROUP = "pvcpopulators.dev";

  /// The first minor version of Kubernetes 1 in which a ServiceAccount gets no Secret with a token.
  private static final int NO_TOKENS = 24;

  /// The time between two lists of all objects. Each list takes much CPU time.
  private static final Duration PAUSE = Duration.ofSeconds(2);

  private static final String IMAGE =
      """
      apiVersion: pvcpopulators.dev/v1alpha1
      kind: DiskImage
      metadata: {name: image, namespace: default}
      spec: {registry: {image: x}}
      """;

  private static ControlPlane plane;

  @TempDir private Path work = Path.of("");

  @BeforeAll
  static void start(@TempDir Path directory) throws IOException, InterruptedException {
    plane = ControlPlane.start(Files.createDirectory(directory.resolve("plane")));
    awaitNamespaces("default", "kube-system", "kube-public", "kube-node-lease");
  }

  @AfterAll
  static void stop() {
    plane.close();
  }

  private static Command.Ran kubectl(String... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of("kubectl", "--kubeconfig=" + plane.admin()));
    command.addAll(List.of(arguments));
    return Command.tried(command);
  }

  private void apply(String manifest) throws IOException {
    Path file = Files.writeString(work.resolve("manifest.yaml"), manifest);
    kubectl("apply", "--validate=false", "-f", file.toString()).ok();
  }

  /// Waits until the controllers have created the objects that every namespace has.
  private static void awaitNamespaces(String... names) throws InterruptedException {
    Set<String> expected = new TreeSet<>();
    for (String name : names) {
      expected.add("kube-root-ca.crt " + name);
      expected.add((plane.binaries().since(NO_TOKENS) ? "default " : "default with token ") + name);
    }
    Waiting.untilTrue(
        "the objects of the namespaces " + expected, () -> ofNamespaces().containsAll(expected));
  }

  /// Returns the ConfigMaps and the ServiceAccounts of all namespaces.
  private static Set<String> ofNamespaces() {
    try {
      return lines(
          kubectl(
              "get",
              "configmaps,serviceaccounts",
              "--all-namespaces",
              "--output=go-template={{range .items}}{{.metadata.name}}"
                  + "{{if .secrets}} with token{{end}} {{.metadata.namespace}}{{\"\\n\"}}{{end}}"));
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  /// Returns kind, namespace and name of all objects of the cluster. The result contains no events,
  /// because events expire.
  private static Set<String> objects() throws IOException {
    return lines(listed(announced().ok()).ok());
  }

  /// Returns all objects except those that a rollout replaces.
  private static Set<String> lasting() throws IOException {
    return objects().stream()
        .filter(object -> !object.matches("(Pod|ReplicaSet|EndpointSlice) .*"))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /// Lists the names of all kinds that the API server announces. After the deletion of a kind,
  /// kubectl fails until the API server no longer announces this kind.
  private static Command.Ran announced() throws IOException {
    return kubectl("api-resources", "--verbs=list", "--output=name");
  }

  /// Lists the objects of the announced kinds. If one of these kinds was deleted after the
  /// announcement, kubectl fails.
  private static Command.Ran listed(Command.Ran announced) throws IOException {
    if (announced.status() != 0) {
      return announced;
    }
    String resources =
        lines(announced).stream()
            .filter(resource -> !resource.startsWith("events"))
            .collect(Collectors.joining(","));
    return kubectl(
        "get",
        resources,
        "--all-namespaces",
        "--ignore-not-found",
        "--output=jsonpath={range .items[*]}{.kind} {.metadata.namespace}/{.metadata.name}{\"\\n\"}{end}");
  }

  private static Set<String> lines(Command.Ran ran) {
    return ran.out().lines().collect(Collectors.toCollection(TreeSet::new));
  }

  /// Waits until the cluster has exactly these objects. The method lists the kinds again only after
  /// the deletion of a kind. Therefore no test may add a kind during this wait.
  private static void awaitObjects(Set<String> expected) throws IOException, InterruptedException {
    AtomicReference<Command.Ran> announced = new AtomicReference<>(announced());
    Set<String> last = new TreeSet<>();
    try {
      Waiting.untilTrue(
          "the objects from before",
          PAUSE,
          () -> {
            try {
              Command.Ran listed = listed(announced.get());
              last.clear();
              last.addAll(lines(listed));
              if (listed.status() != 0) {
                announced.set(announced());
              }
              return listed.status() == 0 && last.equals(expected);
            } catch (IOException e) {
              throw new java.io.UncheckedIOException(e);
            }
          });
    } catch (AssertionError e) {
      assertEquals(expected, last, e.getMessage());
    }
  }

  private static String field(String object, String path) throws IOException {
    return kubectl("get", object, "-n", NAMESPACE, "--output=jsonpath=" + path).ok().out();
  }

  @Test
  @Tag("nightly")
  void helmLeavesNothingBehind() throws IOException, InterruptedException {
    Set<String> clean = objects();
    kubectl("create", "namespace", NAMESPACE).ok();
    awaitNamespaces(NAMESPACE);
    Set<String> before = objects();
    HelmChart chart = HelmChart.ofProject();
    HelmChart older = chart.copy(work.resolve("older"));
    Path kind = older.path().resolve("files/kinds/diskimages.yaml");
    Files.writeString(kind, Files.readString(kind).replace("    - di\n", "    - older\n"));

    assertEquals("deployed", older.install(plane.admin(), "{}").getStatus());
    assertEquals("[\"older\"]", field("crd/diskimages." + GROUP, "{.spec.names.shortNames}"));
    assertEquals("2", field("deployment/operator", "{.spec.replicas}"));
    IllegalStateException twice =
        assertThrows(IllegalStateException.class, () -> chart.install(plane.admin(), "{}"));
    String refusal = String.valueOf(twice.getMessage());
    assertTrue(refusal.contains("in use"), refusal);

    String values = "{operator: {replicas: 1}, classes: {lending: {enabled: true}}}";
    assertEquals("2", chart.upgrade(plane.admin(), values).getRevision());
    assertEquals("[\"di\"]", field("crd/diskimages." + GROUP, "{.spec.names.shortNames}"));
    assertEquals("1", field("deployment/operator", "{.spec.replicas}"));
    assertEquals("standard", field("storageclass/lent-standard", "{.parameters.class}"));

    apply(IMAGE);
    HelmChart.uninstall(plane.admin());
    Set<String> kept = new TreeSet<>(before);
    kept.add("APIService /v1alpha1." + GROUP);
    for (String name : List.of("diskimages", "diskpopulations", "dynamicvolumes")) {
      kept.add("CustomResourceDefinition /" + name + "." + GROUP);
    }
    kept.add("DiskImage default/image");
    awaitObjects(kept);

    // A new release with the same name adopts the kinds that the uninstallation has kept.
    chart.install(plane.admin(), "{crds: {keep: false}}");
    HelmChart.uninstall(plane.admin());
    awaitObjects(before);
    kubectl("delete", "namespace", NAMESPACE).ok();
    awaitObjects(clean);
  }

  /// Runs a target of the Makefile with the cluster's kubeconfig.
  private static Command.Ran make(String target, String... settings) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                "env",
                "KUBECONFIG=" + plane.admin(),
                "make",
                "-s",
                "-C",
                Command.root().toString(),
                target));
    command.addAll(List.of(settings));
    return Command.tried(command);
  }

  @Test
  void makeLeavesNothingBehind() throws IOException, InterruptedException {
    apply(
        """
        apiVersion: storage.k8s.io/v1
        kind: StorageClass
        metadata:
          name: local-path
          annotations: {storageclass.kubernetes.io/is-default-class: "true"}
        provisioner: rancher.io/local-path
        volumeBindingMode: WaitForFirstConsumer
        """);
    Set<String> before = objects();
    String registry = "registry.example:5000/disks";
    make("install", "IMAGES=present", "WAIT=0", "REGISTRY=" + registry).ok();
    String container = field("deployment/operator", "{.spec.template.spec.containers[0]}");
    assertTrue(container.contains("\"image\":\"" + registry + "/operator:0"), container);
    assertTrue(
        container.contains("\"OPERATOR_IMAGE_PREFIX\",\"value\":\"" + registry + '"'), container);
    assertEquals("local-path", field("storageclass/lent-local-path", "{.parameters.class}"));
    assertEquals("local-path", field("storageclass/disk-stream", "{.parameters.cacheClass}"));
    String key = field("secret/operator-key", "{.data.key}");
    NodeImages images = NodeImages.in(work);
    images.install("kind-one").ok();
    assertEquals(
        List.of("kind load image-archive --name one " + images.archive()), images.loaded());
    assertEquals(key, field("secret/operator-key", "{.data.key}"), "the second time");

    apply(IMAGE);
    apply(
        """
        apiVersion: v1
        kind: PersistentVolumeClaim
        metadata: {name: unseen, namespace: default}
        spec:
          accessModes: [ReadWriteOnce]
          resources: {requests: {storage: 1Mi}}
          dataSource: {apiGroup: pvcpopulators.dev, kind: DiskImage, name: image}
          dataSourceRef: {apiGroup: pvcpopulators.dev, kind: DiskImage, name: image}
        """);
    for (String name : List.of("vm1", "vm2")) {
      apply(
          """
          apiVersion: pvcpopulators.dev/v1alpha1
          kind: DiskPopulation
          metadata: {name: %s, namespace: default}
          spec: {claimUID: "1", image: {registry: {image: x}}, imageName: image}
          """
              .formatted(name));
    }
    Set<String> installed = lasting();
    // The population vm1 has no phase, like any population before the operator's first report.
    report("vm2", "Populating");
    assertInUse("default/vm1", "default/vm2");
    report("vm1", "Ready");
    report("vm2", "Ready");
    assertInUse("default/unseen");
    assertEquals(installed, lasting());
    kubectl("delete", "pvc", "unseen", "-n", "default").ok();
    Command.Ran kept = make("uninstall").ok();
    assertTrue(kept.out().contains("default/image"), kept::toString);
    // This command fails if `make uninstall` has deleted the DiskImage.
    kubectl("delete", "diskimage", "image", "-n", "default").ok();
    make("uninstall").ok();
    awaitObjects(before);
    kubectl("delete", "storageclass", "local-path").ok();
  }

  /// Expects that `make uninstall` fails because of these objects.
  private static void assertInUse(String... names) throws IOException {
    Command.Ran refused = make("uninstall");
    assertFalse(refused.status() == 0, refused::toString);
    for (String name : names) {
      assertTrue(refused.err().contains("\n" + name + "\n"), refused::toString);
    }
  }

  /// Sets the phase of a population, as the operator does.
  private static void report(String population, String phase) throws IOException {
    kubectl(
            "patch",
            "diskpopulation",
            population,
            "-n",
            "default",
            "--subresource=status",
            "--type=merge",
            "-p",
            "{\"status\":{\"phase\":\"%s\"}}".formatted(phase))
        .ok();
  }

  /// The installation must fail in two cases: it knows no program that loads images into the nodes,
  /// or the program (`k3d` or `minikube`) fails.
  @Test
  void isNotInstalledWithoutImagesInTheNodes() throws IOException {
    NodeImages images = NodeImages.in(work);
    Command.Ran unknown = images.install("elsewhere");
    assertEquals(64, unknown.status(), unknown::toString);
    assertTrue(unknown.err().contains("elsewhere"), unknown::toString);
    assertNotLoaded(images.install("k3d-two"));
    apply(
        """
        apiVersion: v1
        kind: Node
        metadata: {name: a-node, labels: {minikube.k8s.io/name: three}}
        """);
    assertNotLoaded(images.install("three"));
    kubectl("delete", "node", "a-node").ok();
    assertEquals(
        List.of(
            "k3d image import --cluster two " + images.archive(),
            "minikube image load --profile three " + images.archive()),
        images.loaded());
  }

  /// Expects that an installation failed because an image was not loaded.
  private static void assertNotLoaded(Command.Ran ran) {
    assertEquals(NodeImages.REFUSED, ran.status(), ran::toString);
    assertFalse(ran.out().contains("The operator is installed"), ran::toString);
  }

  /// An installation that loads images into the nodes. Fakes replace the build of the images and
  /// the programs that load images. Only the fake of `kind` succeeds. After the images are loaded,
  /// the installation is the same for all programs.
  private record NodeImages(Path script, Path programs, Path archive) {
    /// The exit status of the fakes of `k3d` and `minikube`.
    private static final int REFUSED = 3;

    static NodeImages in(Path directory) throws IOException {
      Path checkout = Files.createDirectory(directory.resolve("checkout"));
      Path manifests = Files.createDirectory(checkout.resolve("kubernetes"));
      for (String name : List.of("base", "components", "examples", "install.sh")) {
        Command.run(
            "cp",
            "-R",
            Command.root().resolve("kubernetes").resolve(name).toString(),
            manifests.toString());
      }
      Files.writeString(
          checkout.resolve("Makefile"),
          "images:\n\tmkdir -p kubernetes/images/target; : >kubernetes/images/target/operator.tar\n");
      Path programs = Files.createDirectory(directory.resolve("programs"));
      for (String program : List.of("kind", "k3d", "minikube")) {
        Path file =
            Files.writeString(
                programs.resolve(program),
                """
                #!/bin/sh
                echo "$(basename "$0") $*" >>"$(dirname "$0")/asked"
                exit %d
                """
                    .formatted(program.equals("kind") ? 0 : REFUSED));
        assertTrue(file.toFile().setExecutable(true));
      }
      return new NodeImages(
          manifests.resolve("install.sh"),
          programs,
          manifests.resolve("images/target/operator.tar"));
    }

    /// Installs the operator with a kubeconfig.
    ///
    /// @param context the name of the cluster's context in the kubeconfig
    Command.Ran install(String context) throws IOException {
      Path config = plane.kubeconfig(context, plane.token());
      return Command.tried(
          List.of(
              "env",
              "KUBECONFIG=" + config,
              "PATH=" + programs + ":" + System.getenv("PATH"),
              "WAIT=0",
              script.toString(),
              "install"));
    }

    /// Returns the commands that loaded images, or failed to load them.
    List<String> loaded() throws IOException {
      return Files.readAllLines(programs.resolve("asked"));
    }
  }
}
