package dev.pvcpopulators.operator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pvcpopulators.operator.api.DiskImage;
import dev.pvcpopulators.operator.api.StatusCondition;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Checks valid and invalid DiskImages. The first line of each file with an invalid DiskImage has
/// the expected message of the API server or of a CEL rule. Only an API server evaluates CEL rules,
/// so the test calls the operator's validation, which checks the same rules.
final class DiskImageManifestsTest {
  private static final Path MANIFESTS =
      Path.of("src/test/resources/dev/pvcpopulators/operator/diskimages");
  private static final Path DEFINITION =
      Path.of("../kubernetes/base/operator-kinds/diskimages.yaml");
  private static final String EXPECTED = "# expected: ";

  static List<Path> manifests() throws IOException {
    try (Stream<Path> files = Files.list(MANIFESTS)) {
      return files.sorted().toList();
    }
  }

  @ParameterizedTest
  @MethodSource("manifests")
  void isRefusedWithItsReason(Path file) throws IOException {
    String first = Files.readAllLines(file).getFirst();
    boolean invalid = file.getFileName().toString().startsWith("invalid-");
    assertEquals(invalid, first.startsWith(EXPECTED), first);
    List<String> said = mistakes(Files.readString(file));
    if (invalid) {
      String expected = first.substring(EXPECTED.length());
      assertTrue(said.stream().anyMatch(message -> message.startsWith(expected)), said::toString);
    } else {
      assertEquals(List.of(), said);
    }
  }

  @Test
  void examplesAreValid() throws IOException {
    List<Path> examples = new ArrayList<>();
    try (Stream<Path> files = Files.walk(Path.of("../kubernetes/examples"))) {
      files.filter(file -> file.endsWith("disk-image.yaml")).forEach(examples::add);
    }
    assertTrue(examples.size() >= 4, examples::toString);
    for (Path file : examples) {
      assertEquals(List.of(), mistakes(Files.readString(file)), file::toString);
    }
  }

  /// Checks that each CEL rule of the CRD has an invalid manifest that expects the message of the
  /// rule.
  @Test
  void everyRuleOfTheKindIsInTheTable() throws IOException {
    List<String> rules = new ArrayList<>();
    schema()
        .path("x-kubernetes-validations")
        .forEach(rule -> rules.add(rule.path("message").asText()));
    List<String> expected = new ArrayList<>();
    for (Path file : manifests()) {
      expected.add(Files.readAllLines(file).getFirst().replace(EXPECTED, ""));
    }
    // The rule against changes of the spec compares the object with its old state, so no single
    // manifest can test this rule. NewerServersTest in `it/operator` tests it.
    rules.remove("spec: expected no change; create another DiskImage instead");
    assertTrue(rules.size() >= 3, rules::toString);
    for (String rule : rules) {
      assertTrue(expected.contains(rule), rule);
    }
  }

  private static List<String> mistakes(String yaml) throws IOException {
    List<String> found = new ArrayList<>();
    JsonNode document = Serialization.unmarshal(yaml, JsonNode.class);
    check("spec", document.path("spec"), schema(), found);
    if (found.isEmpty()) {
      DiskImage image = Serialization.unmarshal(yaml, DiskImage.class);
      StatusCondition accepted =
          Objects.requireNonNull(ImageReconciler.status(image, Clock.systemUTC()).conditions())
              .getFirst();
      if (accepted.message() != null) {
        assertEquals("False", accepted.status());
        assertEquals("InvalidSource", accepted.reason());
        found.add(accepted.message());
      }
    }
    return found;
  }

  private static JsonNode schema() throws IOException {
    return Serialization.unmarshal(Files.readString(DEFINITION), JsonNode.class)
        .at("/spec/versions/0/schema/openAPIV3Schema/properties/spec");
  }

  /// Validates a value as the API server does, but supports only the schema keywords that the
  /// schema of DiskImage uses.
  private static void check(String path, JsonNode value, JsonNode schema, List<String> found) {
    for (JsonNode required : schema.path("required")) {
      if (!value.has(required.asText())) {
        found.add(path + "." + required.asText() + ": Required value");
      }
    }
    if (schema.has("pattern") && !value.asText().matches(schema.path("pattern").asText())) {
      found.add("%s in body should match '%s'".formatted(path, schema.path("pattern").asText()));
    }
    if (schema.has("maximum") && value.asDouble() > schema.path("maximum").asDouble()) {
      found.add(
          "%s in body should be less than or equal to %.0f"
              .formatted(path, schema.path("maximum").asDouble()));
    }
    if (schema.has("enum") && !among(value, schema.path("enum"))) {
      found.add("%s: Unsupported value: \"%s\"".formatted(path, value.asText()));
    }
    if (schema.has("properties")) {
      for (Map.Entry<String, JsonNode> field : value.properties()) {
        JsonNode inner = schema.path("properties").path(field.getKey());
        String name = path + "." + field.getKey();
        if (inner.isMissingNode()) {
          found.add("unknown field \"%s\"".formatted(name));
        } else {
          check(name, field.getValue(), inner, found);
        }
      }
    }
  }

  private static boolean among(JsonNode value, JsonNode allowed) {
    for (JsonNode one : allowed) {
      if (one.equals(value)) {
        return true;
      }
    }
    return false;
  }
}
