package dev.pvcpopulators.kubernetes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.kubernetes.manifest.Kubectl;
import dev.pvcpopulators.kubernetes.manifest.ManifestTree;
import dev.pvcpopulators.kubernetes.manifest.Project;
import dev.pvcpopulators.kubernetes.manifest.StrictYaml;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/// Checks that a real API server accepts every rendering and admits its pods. The pods' namespace
/// enforces Pod Security "restricted". The environment variable KUBERNETES_BINARIES, or the system
/// property `kubernetes.binaries`, must name a directory with `kube-apiserver`, `etcd` and
/// `kubectl`. If neither the variable nor the property is set, the tests are skipped with a
/// message.
@Tag("tools")
class ApiServerTest {
  private static final String SETTING = "KUBERNETES_BINARIES";

  /// Kinds of other projects. The API server accepts objects of these kinds only after the test has
  /// created the definitions of the kinds.
  private static final List<Foreign> FOREIGN =
      List.of(
          new Foreign("kubevirt.io", "v1", "VirtualMachine", "virtualmachines"),
          new Foreign("cert-manager.io", "v1", "Certificate", "certificates"),
          new Foreign("cert-manager.io", "v1", "Issuer", "issuers"),
          new Foreign("populator.storage.k8s.io", "v1beta1", "VolumePopulator", "volumepopulators"),
          new Foreign("gateway.networking.k8s.io", "v1", "HTTPRoute", "httproutes"),
          new Foreign("monitoring.coreos.com", "v1", "ServiceMonitor", "servicemonitors"),
          new Foreign("monitoring.coreos.com", "v1", "PrometheusRule", "prometheusrules"));

  @TempDir private static @Nullable Path directory;
  private static @Nullable ApiServer server;
  private static final Map<String, String> renderings = new LinkedHashMap<>();
  private static String namespace = "";

  private record Foreign(String group, String version, String kind, String plural) {}

  @BeforeAll
  static void start() throws IOException {
    Optional<Path> binaries =
        Optional.ofNullable(System.getProperty("kubernetes.binaries", System.getenv(SETTING)))
            .filter(text -> !text.isBlank())
            .map(Path::of);
    if (binaries.isEmpty()) {
      String notRun =
          "NOT RUN: no manifest was shown to a Kubernetes API server, because "
              + SETTING
              + " names no directory with kube-apiserver, etcd and kubectl";
      System.out.println(
          "\n"
              + "!".repeat(notRun.length())
              + "\n"
              + notRun
              + "\n"
              + "!".repeat(notRun.length())
              + "\n");
      Assumptions.abort(notRun);
    }
    Path found = binaries.get().toAbsolutePath();
    System.out.println("Manifests are shown to the API server of " + ApiServer.version(found));
    server = ApiServer.start(found, Objects.requireNonNull(directory));
    for (Path overlay : ManifestTree.of(Project.MANIFESTS).overlays()) {
      renderings.put(
          Project.MANIFESTS.relativize(overlay).toString(), Kubectl.kustomize(overlay).ok().out());
    }
    prepare(server());
  }

  @AfterAll
  static void stop() {
    if (server != null) {
      server.close();
    }
  }

  /// Creates the objects that must exist before the tests: the definitions of the kinds, the
  /// namespaces, and the ServiceAccounts of the namespaces.
  private static void prepare(ApiServer server) throws IOException {
    for (Foreign foreign : FOREIGN) {
      apply(server, definition(foreign));
    }
    apply(server, Objects.requireNonNull(renderings.get("base/operator-kinds")));
    server.kubectl("wait", "--for=condition=Established", "crd", "--all", "--timeout=60s").ok();
    String manifest = Objects.requireNonNull(renderings.get("examples/namespace"));
    namespace = StrictYaml.documents(manifest).getFirst().at("/metadata/name").asText();
    for (String rendering : renderings.values()) {
      for (JsonNode document : StrictYaml.documents(rendering)) {
        if (document.path("kind").asText().equals("Namespace")) {
          apply(server, document.toString());
          // In a cluster, the controller-manager creates the ServiceAccount `default`.
          apply(server, serviceAccount("default", document.at("/metadata/name").asText()));
        }
      }
    }
    for (String rendering : renderings.values()) {
      for (JsonNode document : StrictYaml.documents(rendering)) {
        if (document.path("kind").asText().equals("ServiceAccount")) {
          apply(
              server,
              serviceAccount(document.at("/metadata/name").asText(), namespaceOf(rendering)));
        }
      }
    }
  }

  /// Returns the first namespace that an object of a rendering names. If no object names a
  /// namespace, returns the namespace of the examples.
  private static String namespaceOf(String rendering) {
    return StrictYaml.documents(rendering).stream()
        .map(document -> document.at("/metadata/namespace").asText())
        .filter(named -> !named.isEmpty())
        .findFirst()
        .orElse(namespace);
  }

  @Test
  void theNamespaceOfTheExamplesEnforcesRestricted() throws IOException {
    assertEquals(
        "restricted",
        server()
            .kubectl(
                "get",
                "namespace",
                namespace,
                "--output=jsonpath={.metadata.labels.pod-security\\.kubernetes\\.io/enforce}")
            .ok()
            .out());
  }

  /// The API server accepts a Deployment or a Job even if it would refuse their pods, so the test
  /// also sends these pods.
  @TestFactory
  Stream<DynamicNode> takesEveryRenderingAndAdmitsItsPods() {
    return renderings.entrySet().stream()
        .map(rendering ->
            DynamicTest.dynamicTest(
                rendering.getKey(),
                () -> {
                  StringBuilder asked = new StringBuilder(rendering.getValue());
                  madePods(rendering.getValue())
                      .forEach(pod -> asked.append("\n---\n").append(pod));
                  tried("apply", namespaceOf(rendering.getValue()), asked.toString()).ok();
                }));
  }

  @Test
  void refusesAPrivilegedPod() throws IOException {
    ObjectNode pod = pod();
    ((ObjectNode) pod.at("/spec/containers/0"))
        .putObject("securityContext")
        .put("privileged", true);
    expectRefused(pod, "violates PodSecurity \"restricted:");
  }

  @Test
  void refusesAFieldThatItDoesNotKnow() throws IOException {
    ObjectNode pod = pod();
    ((ObjectNode) pod.path("spec")).put("enableServiceLink", false);
    expectRefused(pod, "unknown field \"spec.enableServiceLink\"");
  }

  @Test
  void refusesAServiceAccountThatIsNotThere() throws IOException {
    ObjectNode pod = pod();
    ((ObjectNode) pod.path("spec")).put("serviceAccountName", "nobody");
    expectRefused(pod, "serviceaccount \"nobody\" not found");
  }

  private static void expectRefused(ObjectNode pod, String reason) throws IOException {
    Command.Ran ran = tried("create", namespace, pod.toString());
    assertNotEquals(0, ran.status(), ran::toString);
    assertTrue(ran.err().contains(reason), ran::toString);
  }

  private static ApiServer server() {
    return Objects.requireNonNull(server);
  }

  /// Sends a request as a dry run: the server checks the objects, but does not store them.
  private static Command.Ran tried(String verb, String within, String manifest) throws IOException {
    return server()
        .kubectl(
            verb,
            "--dry-run=server",
            "--validate=strict",
            "--warnings-as-errors",
            "--namespace=" + within,
            "--filename=" + server().file(manifest));
  }

  private static void apply(ApiServer server, String manifest) throws IOException {
    server.kubectl("apply", "--filename=" + server.file(manifest)).ok();
  }

  private static ObjectNode pod() {
    String rendering = Objects.requireNonNull(renderings.get("base/http-upload"));
    return madePods(rendering).getFirst();
  }

  /// Returns the pods that a cluster creates for a rendering's Deployments and Jobs.
  private static List<ObjectNode> madePods(String rendering) {
    List<ObjectNode> pods = new ArrayList<>();
    for (JsonNode document : StrictYaml.documents(rendering)) {
      if (document.at("/spec/template/spec/containers").isArray()) {
        ObjectNode pod = document.at("/spec/template").deepCopy();
        pod.put("apiVersion", "v1").put("kind", "Pod");
        pod.withObject("metadata")
            .put("name", document.at("/metadata/name").asText())
            .put("namespace", namespaceOf(rendering));
        pods.add(pod);
      }
    }
    return pods;
  }

  private static String serviceAccount(String name, String within) {
    ObjectNode account = JsonNodeFactory.instance.objectNode();
    account.put("apiVersion", "v1").put("kind", "ServiceAccount");
    account.putObject("metadata").put("name", name).put("namespace", within);
    return account.toString();
  }

  private static String definition(Foreign foreign) {
    return """
    apiVersion: apiextensions.k8s.io/v1
    kind: CustomResourceDefinition
    metadata:
      name: PLURAL.GROUP
      annotations: {api-approved.kubernetes.io: "unapproved, for a test"}
    spec:
      group: GROUP
      scope: Namespaced
      names: {kind: KIND, plural: PLURAL}
      versions:
        - name: VERSION
          served: true
          storage: true
          schema:
            openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}
    """
        .replace("PLURAL", foreign.plural())
        .replace("GROUP", foreign.group())
        .replace("KIND", foreign.kind())
        .replace("VERSION", foreign.version());
  }
}
