package dev.pvcpopulators.it.operator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.marcnuri.helm.LintResult;
import dev.pvcpopulators.it.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Checks that the chart renders the objects of the kustomize directories, and that the chart's
/// values change these objects.
@Tag("tools")
final class ChartTest {
  private static final YAMLMapper YAML = new YAMLMapper();
  private static final Path MANIFESTS = Command.root().resolve("kubernetes");
  private static final HelmChart CHART = HelmChart.ofProject();
  private static final String NAMESPACE = HelmChart.RELEASE;
  private static final String DEPLOYMENT = "Deployment " + NAMESPACE + "/operator";

  /// The Namespace that the chart does not render, because Helm itself can create the namespace of
  /// a release.
  private static final String OMITTED = "Namespace /" + NAMESPACE;

  /// Settings of the operator that the chart refuses in `operator.settings`, because the chart sets
  /// them itself.
  private static final Set<String> OTHER_VALUES =
      Set.of(
          "OPERATOR_IMAGE_PREFIX",
          "OPERATOR_IMAGE_TAG",
          "OPERATOR_IMAGE_PULL_POLICY",
          "OPERATOR_DYNAMIC_VOLUMES",
          "OPERATOR_NAMESPACE");

  private static final String EVERYTHING =
      """
      crds: {keep: false}
      classes: {lending: {enabled: true}, stream: {enabled: true}, volumePopulator: {enabled: true}}
      monitoring:
        serviceMonitor: {enabled: true}
        prometheusRule: {enabled: true}
        dashboards: {enabled: true}
      """;

  @TempDir private Path work = Path.of("");

  private static Map<String, JsonNode> objects(String text) throws IOException {
    Map<String, JsonNode> objects = new TreeMap<>();
    try (MappingIterator<JsonNode> documents = YAML.readerFor(JsonNode.class).readValues(text)) {
      while (documents.hasNextValue()) {
        JsonNode document = documents.nextValue();
        if (document.isObject()) {
          JsonNode metadata = document.path("metadata");
          String id =
              "%s %s/%s"
                  .formatted(
                      document.path("kind").asText(),
                      metadata.path("namespace").asText(),
                      metadata.path("name").asText());
          assertNull(objects.put(id, document), id);
        }
      }
    }
    return objects;
  }

  private static Map<String, JsonNode> kustomized(String... examples) throws IOException {
    Map<String, JsonNode> all = new TreeMap<>();
    for (String example : examples) {
      String directory = MANIFESTS.resolve("examples").resolve(example).toString();
      all.putAll(
          objects(
              Command.run("kubectl", "kustomize", directory)
                  // Some examples use the namespace `vm-disks`.
                  .replace("namespace: vm-disks", "namespace: " + NAMESPACE)));
    }
    all.remove(OMITTED);
    return all;
  }

  private static JsonNode object(Map<String, JsonNode> objects, String id) {
    return Objects.requireNonNull(objects.get(id), id);
  }

  private static void assertSame(Map<String, JsonNode> expected, Map<String, JsonNode> found) {
    assertEquals(expected.keySet(), found.keySet());
    expected.forEach((id, object) -> assertEquals(object, object(found, id), id));
  }

  @Test
  void rendersTheOperatorAndItsKindsByDefault() throws IOException {
    Map<String, JsonNode> found = objects(CHART.render("{}"));
    found.forEach((id, object) -> {
      if (id.startsWith("CustomResourceDefinition ")) {
        ObjectNode metadata = (ObjectNode) object.path("metadata");
        assertEquals(
            "{\"helm.sh/resource-policy\":\"keep\"}", metadata.remove("annotations").toString());
      }
    });
    assertSame(kustomized("operator"), found);
  }

  @Test
  void rendersEverythingThatCanBeEnabled() throws IOException {
    assertSame(
        kustomized(
            "operator",
            "lending-class",
            "stream-class",
            "volume-populator",
            "operator-metrics",
            "metrics"),
        objects(CHART.render(EVERYTHING)));
  }

  /// The chart's directory has symbolic links to manifests. A packed chart contains copies of these
  /// manifests.
  @Test
  void rendersTheSameFromAnArchive() throws IOException {
    assertEquals(CHART.render(EVERYTHING), CHART.pack(work).render(EVERYTHING));
  }

  @Test
  void passesHelmsChecks() {
    LintResult result = CHART.lint();
    assertFalse(result.isFailed(), () -> result.getMessages().toString());
  }

  @Test
  void valuesChangeTheDeployment() throws IOException {
    String digest = "sha256:" + "5".repeat(64);
    Map<String, JsonNode> objects =
        objects(
            CHART.render(
                """
                image:
                  registry: registry.example:5000/disks
                  tag: "2.0"
                  digest: %s
                  pullPolicy: Always
                  pullSecrets: [one, two]
                operator:
                  replicas: 3
                  resources: {limits: {memory: 1Gi}}
                  nodeSelector: {disk: fast}
                  tolerations: [{key: storage, operator: Exists}]
                  settings: {OPERATOR_STATUS_PORT: "", OPERATOR_THREADS: "16", QUARKUS_LOG_LEVEL: DEBUG}
                """
                    .formatted(digest)));
    JsonNode spec = object(objects, DEPLOYMENT).path("spec");
    JsonNode pod = spec.at("/template/spec");
    JsonNode container = pod.at("/containers/0");
    assertEquals(3, spec.path("replicas").asInt());
    assertEquals("2.0", spec.at("/template/metadata/labels/app.kubernetes.io~1version").asText());
    assertEquals(
        "registry.example:5000/disks/operator@" + digest, container.path("image").asText());
    assertEquals("Always", container.path("imagePullPolicy").asText());
    assertEquals("{\"limits\":{\"memory\":\"1Gi\"}}", container.path("resources").toString());
    assertEquals(
        "[{\"name\":\"one\"},{\"name\":\"two\"}]", pod.path("imagePullSecrets").toString());
    assertEquals("{\"disk\":\"fast\"}", pod.path("nodeSelector").toString());
    assertEquals(
        "[{\"key\":\"storage\",\"operator\":\"Exists\"}]", pod.path("tolerations").toString());
    Map<String, String> variables = new TreeMap<>();
    container
        .path("env")
        .forEach(one ->
            assertNull(variables.put(one.path("name").asText(), one.path("value").asText())));
    assertEquals(
        Map.of(
            "OPERATOR_NAMESPACE", "",
            "OPERATOR_KEY_FILE", "/etc/pvc-populators/operator-key/key",
            "OPERATOR_STATUS_PORT", "",
            "OPERATOR_IMAGE_PREFIX", "registry.example:5000/disks",
            "OPERATOR_IMAGE_TAG", "2.0",
            "OPERATOR_IMAGE_PULL_POLICY", "Always",
            "OPERATOR_THREADS", "16",
            "QUARKUS_LOG_LEVEL", "DEBUG"),
        variables);
  }

  @Test
  void valuesChangeClassesAndMonitoring() throws IOException {
    Map<String, JsonNode> objects =
        objects(
            CHART.render(
                """
                classes:
                  lending: {enabled: true, name: lent, class: local-path, volumeBindingMode: Immediate}
                  stream: {enabled: true, name: streamed, cacheClass: ""}
                monitoring:
                  namespace: prometheus
                  serviceMonitor: {enabled: true, labels: {release: stack}}
                """));
    JsonNode lent = object(objects, "StorageClass /lent");
    assertEquals("{\"class\":\"local-path\"}", lent.path("parameters").toString());
    assertEquals("Immediate", lent.path("volumeBindingMode").asText());
    assertFalse(object(objects, "StorageClass /streamed").has("parameters"));
    assertEquals(
        "stack",
        object(objects, "ServiceMonitor pvc-populators/pvc-populators")
            .at("/metadata/labels/release")
            .asText());
    assertEquals(
        "prometheus",
        object(objects, "NetworkPolicy pvc-populators/pvc-populators-metrics")
            .at("/spec/ingress/0/from/0/namespaceSelector/matchLabels/kubernetes.io~1metadata.name")
            .asText());
  }

  @Test
  void withoutDynamicVolumesTheOperatorHasNoRightsForThem() throws IOException {
    Map<String, JsonNode> objects =
        objects(CHART.render("{operator: {dynamicVolumes: false}, crds: {install: false}}"));
    assertTrue(objects.containsKey("ClusterRole /pvc-populators-operator"));
    assertFalse(objects.containsKey("ClusterRole /pvc-populators-operator-volumes"));
    assertFalse(objects.containsKey("ClusterRoleBinding /pvc-populators-operator-volumes"));
    String variables =
        object(objects, DEPLOYMENT).at("/spec/template/spec/containers/0/env").toString();
    assertTrue(
        variables.contains("{\"name\":\"OPERATOR_DYNAMIC_VOLUMES\",\"value\":\"false\"}"),
        variables);
    assertTrue(objects.keySet().stream().noneMatch(id -> id.startsWith("Custom")));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{operator: {replica: 3}} | '/operator': additional properties 'replica' not allowed",
        "{operator: {replicas: many}} | '/operator/replicas': got string, want integer",
        "{operator: {replicas: -1}} | '/operator/replicas': minimum",
        "{operator: {settings: {OPERATOR_THREAD: '8'}}} | invalid propertyName 'OPERATOR_THREAD'",
        "{operator: {settings: {OPERATOR_IMAGE_TAG: '8'}}} | invalid propertyName 'OPERATOR_IMAGE_TAG'",
        "{operator: {settings: {OPERATOR_THREADS: 8}}} | got number, want string",
        "{image: {registry: 'https://x'}} | '/image/registry'",
        "{image: {tag: 'a b'}} | '/image/tag'",
        "{image: {digest: 'sha256:12'}} | '/image/digest'",
        "{image: {pullPolicy: Sometimes}} | '/image/pullPolicy'",
        "{crds: {keep: maybe}} | '/crds/keep': got string, want boolean",
        "{classes: {lending: {volumeBindingMode: Late}}} | '/classes/lending/volumeBindingMode'",
        "{classes: {stream: {name: Upper}}} | '/classes/stream/name'",
        "{monitoring: {serviceMonitor: true}} | '/monitoring/serviceMonitor': got boolean, want object"
      },
      quoteCharacter = '"')
  void refusesOtherValues(String values, String expected) {
    IllegalStateException refused =
        assertThrows(IllegalStateException.class, () -> CHART.render(values));
    String message = String.valueOf(refused.getMessage());
    assertTrue(message.contains(expected), message);
  }

  @Test
  void theSchemaDescribesEachValue() throws IOException {
    JsonNode schema = YAML.readTree(CHART.path().resolve("values.schema.json").toFile());
    JsonNode values = YAML.readTree(CHART.path().resolve("values.yaml").toFile());
    ((ObjectNode) schema.path("properties")).remove("global");
    assertDescribed("", values, schema);
  }

  private static void assertDescribed(String path, JsonNode values, JsonNode schema) {
    JsonNode properties = schema.path("properties");
    // An empty object in `values.yaml` has no default entries, because the user adds the entries.
    if (!values.isObject() || values.isEmpty()) {
      assertTrue(schema.has("description"), path);
      return;
    }
    assertEquals(names(values), names(properties), path);
    assertTrue(schema.path("additionalProperties").isBoolean(), path);
    values
        .properties()
        .forEach(value ->
            assertDescribed(
                path + "/" + value.getKey(), value.getValue(), properties.path(value.getKey())));
  }

  private static Set<String> names(JsonNode object) {
    Set<String> names = new TreeSet<>();
    object.fieldNames().forEachRemaining(names::add);
    return names;
  }

  @Test
  void theSchemaHasTheOperatorsSettings() throws IOException {
    String page = Files.readString(Command.root().resolve("docs/operations/operator.md"));
    Set<String> expected =
        Pattern.compile("^\\| `(OPERATOR_[A-Z_]+)`", Pattern.MULTILINE)
            .matcher(page)
            .results()
            .map((MatchResult row) -> row.group(1))
            .filter(name -> !OTHER_VALUES.contains(name))
            .collect(Collectors.toCollection(TreeSet::new));
    Set<String> found = new TreeSet<>();
    YAML.readTree(CHART.path().resolve("values.schema.json").toFile())
        .at("/properties/operator/properties/settings/propertyNames/anyOf/0/enum")
        .forEach(name -> found.add(name.asText()));
    assertEquals(expected, found);
  }

  @Test
  void hasTheVersionOfTheImages() throws IOException {
    JsonNode described = YAML.readTree(CHART.path().resolve("Chart.yaml").toFile());
    JsonNode images =
        YAML.readTree(MANIFESTS.resolve("components/images/kustomization.yaml").toFile());
    String version = images.at("/images/0/newTag").asText();
    assertEquals(version, described.path("version").asText());
    assertEquals(version, described.path("appVersion").asText());
  }
}
