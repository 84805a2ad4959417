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
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/// Installs, upgrades and uninstalls the operator by Helm and by `make`, and compares all objects
/// of the cluster before and afterwards.
///
/// The other tests use another API server, because names of cluster-wide objects are fixed, and no
/// other test may change objects meanwhile. This API server has no node, so no pod runs.
@Tag("tools")
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("installation")
final class InstallationTest {
  private static final String NAMESPACE = HelmChart.RELEASE;
  private static final String GROUP = "pvcpopulators.dev";

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
    for (String name : List.of("default", "kube-system", "kube-public", "kube-node-lease")) {
      awaitNamespace(name);
    }
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

  /// Waits until the controllers have created what every namespace has.
  private static void awaitNamespace(String name) throws InterruptedException {
    Waiting.untilTrue(
        "the objects of the namespace " + name,
        () ->
            succeeds("get", "-n", name, "cm/kube-root-ca.crt")
                // Kubernetes 1.20 creates a Secret with a token for each account.
                && succeeds(
                    "get", "-n", name, "sa/default", "--output=jsonpath={.secrets[0].name}"));
  }

  private static boolean succeeds(String... arguments) {
    try {
      return kubectl(arguments).status() == 0;
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  /// Returns all objects of the cluster but events, which expire by themselves: resource, namespace
  /// and name.
  private static Set<String> objects() throws IOException {
    return objects(listed().ok());
  }

  /// Lists them. Fails while the API server still announces a kind that was just deleted.
  private static Command.Ran listed() throws IOException {
    Command.Ran kinds = kubectl("api-resources", "--verbs=list", "--output=name");
    if (kinds.status() != 0) {
      return kinds;
    }
    String resources =
        kinds
            .out()
            .lines()
            .filter(resource -> !resource.startsWith("events"))
            .collect(Collectors.joining(","));
    return kubectl(
        "get",
        resources,
        "--all-namespaces",
        "--ignore-not-found",
        "--output=jsonpath={range .items[*]}{.kind} {.metadata.namespace}/{.metadata.name}{\"\\n\"}{end}");
  }

  private static Set<String> objects(Command.Ran listed) {
    return listed.out().lines().collect(Collectors.toCollection(TreeSet::new));
  }

  /// Returns the objects that were not there before.
  private static Set<String> added(Set<String> before) throws IOException {
    Set<String> added = new TreeSet<>(objects());
    added.removeAll(before);
    return added;
  }

  private static void awaitObjects(Set<String> expected) throws InterruptedException {
    Set<String> last = new TreeSet<>();
    try {
      Waiting.untilTrue(
          "the objects from before",
          () -> {
            try {
              // The listing fails if a kind is deleted meanwhile.
              Command.Ran listed = listed();
              last.clear();
              last.addAll(objects(listed));
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
  void helmLeavesNothingBehind() throws IOException, InterruptedException {
    Set<String> clean = objects();
    kubectl("create", "namespace", NAMESPACE).ok();
    awaitNamespace(NAMESPACE);
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

    // A release of the same name adopts the kinds.
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
    assertEquals(
        registry + "/operator",
        field("deployment/operator", "{.spec.template.spec.containers[0].image}")
            .split(":0", 2)[0]);
    assertTrue(
        field("deployment/operator", "{.spec.template.spec.containers[0].env}")
            .contains("\"OPERATOR_IMAGE_PREFIX\",\"value\":\"" + registry + '"'));
    assertEquals("local-path", field("storageclass/lent-local-path", "{.parameters.class}"));
    assertEquals("local-path", field("storageclass/disk-stream", "{.parameters.cacheClass}"));
    String key = field("secret/operator-key", "{.data.key}");
    make("install", "IMAGES=present", "WAIT=0").ok();
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
    assertInUse("default/unseen");
    kubectl("delete", "pvc", "unseen", "-n", "default").ok();
    apply(
        """
        apiVersion: pvcpopulators.dev/v1alpha1
        kind: DiskPopulation
        metadata: {name: vm1, namespace: default}
        spec: {claimUID: "1", image: {registry: {image: x}}, imageName: image}
        """);
    for (String phase : List.of("", "Populating")) {
      report(phase);
      assertInUse("default/vm1");
    }
    report("Ready");
    Command.Ran kept = make("uninstall").ok();
    assertTrue(kept.out().contains("default/image"), kept::toString);
    assertTrue(added(before).contains("DiskImage default/image"));
    kubectl("delete", "diskimage", "image", "-n", "default").ok();
    make("uninstall").ok();
    awaitObjects(before);
    kubectl("delete", "storageclass", "local-path").ok();
  }

  /// Expects that the operator cannot be uninstalled, because of one object.
  private static void assertInUse(String name) throws IOException {
    Set<String> installed = objects();
    Command.Ran refused = make("uninstall");
    assertFalse(refused.status() == 0, refused::toString);
    assertTrue(refused.err().contains("\n" + name + "\n"), refused::toString);
    assertEquals(installed, objects());
  }

  /// Sets the phase of the population, as the operator does.
  private static void report(String phase) throws IOException {
    if (!phase.isEmpty()) {
      kubectl(
              "patch",
              "diskpopulation",
              "vm1",
              "-n",
              "default",
              "--subresource=status",
              "--type=merge",
              "-p",
              "{\"status\":{\"phase\":\"%s\"}}".formatted(phase))
          .ok();
    }
  }

  /// The programs that load images are fakes, and so is the build of the images.
  @Test
  void imagesAreLoadedIntoTheNodes() throws IOException {
    Path checkout = Files.createDirectory(work.resolve("checkout"));
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
    Path programs = Files.createDirectory(work.resolve("programs"));
    for (String program : List.of("kind", "k3d", "minikube")) {
      Path file =
          Files.writeString(
              programs.resolve(program),
              "#!/bin/sh\necho \"$(basename \"$0\") $*\" >>\"$(dirname \"$0\")/asked\"\n");
      assertTrue(file.toFile().setExecutable(true));
    }
    Path script = manifests.resolve("install.sh");
    String archive = manifests.resolve("images/target/operator.tar").toString();

    Command.Ran unknown = script(script, programs, "elsewhere");
    assertEquals(64, unknown.status(), unknown::toString);
    assertTrue(unknown.err().contains("elsewhere"), unknown::toString);
    script(script, programs, "kind-one").ok();
    script(script, programs, "k3d-two").ok();
    apply(
        """
        apiVersion: v1
        kind: Node
        metadata: {name: a-node, labels: {minikube.k8s.io/name: three}}
        """);
    script(script, programs, "three").ok();
    kubectl("delete", "node", "a-node").ok();
    assertEquals(
        List.of(
            "kind load image-archive --name one " + archive,
            "k3d image import --cluster two " + archive,
            "minikube image load --profile three " + archive),
        Files.readAllLines(programs.resolve("asked")));
    Command.tried(List.of("env", "KUBECONFIG=" + plane.admin(), script.toString(), "uninstall"))
        .ok();
  }

  /// Installs into the cluster under another name of its context.
  private Command.Ran script(Path script, Path programs, String context) throws IOException {
    Path config = work.resolve(context + ".kubeconfig");
    Files.copy(plane.admin(), config);
    Command.run("kubectl", "--kubeconfig=" + config, "config", "rename-context", "admin", context);
    return Command.tried(
        List.of(
            "env",
            "KUBECONFIG=" + config,
            "PATH=" + programs + ":" + System.getenv("PATH"),
            "WAIT=0",
            script.toString(),
            "install"));
  }
}
