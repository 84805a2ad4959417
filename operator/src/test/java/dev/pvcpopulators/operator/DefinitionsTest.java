package dev.pvcpopulators.operator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pvcpopulators.operator.api.DiskImage;
import dev.pvcpopulators.operator.api.DiskPopulation;
import dev.pvcpopulators.operator.api.DynamicVolume;
import io.fabric8.crdv2.generator.CRDGenerator;
import io.fabric8.crdv2.generator.CRDPostProcessor;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Checks that the CRDs in kubernetes/base/operator-kinds equal the CRDs generated from the
/// operator's records. With `-Dcrds.write=true`, the test first writes the generated CRDs to that
/// directory.
final class DefinitionsTest {
  private static final Path COMMITTED = Path.of("../kubernetes/base/operator-kinds");

  private static final List<String> COLUMNS =
      List.of(
          "Registry",
          "URL",
          "Machine",
          "Accepted",
          "Phase",
          "Progress",
          "Speed",
          "Remaining",
          "Source",
          "Claim",
          "Age",
          "Digest",
          "Node",
          "Volume",
          "Message");

  @TempDir private Path generated;

  @ParameterizedTest
  @ValueSource(strings = {"diskimages", "diskpopulations", "dynamicvolumes"})
  void areEqualToTheRecords(String plural) throws IOException {
    new CRDGenerator()
        .customResourceClasses(DiskImage.class, DiskPopulation.class, DynamicVolume.class)
        .forCRDVersions(List.of("v1"))
        .withMinQuotes(true)
        .withPostProcessor(new Finish())
        .inOutputDir(directory())
        .generate();
    String made =
        Files.readString(generated.resolve(plural + ".pvcpopulators.dev-v1.yml"))
            .lines()
            .filter(line -> !line.startsWith("#"))
            .reduce("", (text, line) -> text + line + "\n");
    Path file = COMMITTED.resolve(plural + ".yaml");
    if (Boolean.getBoolean("crds.write")) {
      Files.createDirectories(COMMITTED);
      Files.writeString(file, made);
    }
    assertEquals(Files.readString(file), made, "run with -Dcrds.write=true and look at the change");
  }

  @ParameterizedTest
  @ValueSource(strings = {"diskimages", "diskpopulations", "dynamicvolumes"})
  void everyFieldIsExplained(String plural) throws IOException {
    List<String> silent = new ArrayList<>();
    JsonNode definition =
        Serialization.unmarshal(
            Files.readString(COMMITTED.resolve(plural + ".yaml")), JsonNode.class);
    silent("", definition.at("/spec/versions/0/schema/openAPIV3Schema"), silent);
    assertEquals(List.of(), silent);
  }

  private static void silent(String path, JsonNode schema, List<String> silent) {
    for (Map.Entry<String, JsonNode> field : schema.path("properties").properties()) {
      if (field.getValue().path("description").asText().isBlank()) {
        silent.add(path + "." + field.getKey());
      }
      silent(path + "." + field.getKey(), field.getValue(), silent);
    }
    if (schema.has("items")) {
      silent(path, schema.path("items"), silent);
    }
  }

  /// Completes a generated CRD: sorts its columns in the order of `COLUMNS`, and adds a description
  /// to each field that has none. If a Pod has the same field, the description is the path of the
  /// field in the Pod. `kubectl explain` accepts this path.
  private static final class Finish implements CRDPostProcessor {
    private static final Map<String, String> ROOTS =
        Map.of(
            "spec", "The desired state", "status", "The observed state, written by the operator");

    @Override
    public HasMetadata process(HasMetadata definition, String version) {
      if (definition instanceof CustomResourceDefinition custom) {
        custom
            .getSpec()
            .getVersions()
            .forEach(one -> {
              one.getAdditionalPrinterColumns()
                  .sort(Comparator.comparingInt(column -> COLUMNS.indexOf(column.getName())));
              explain("", one.getSchema().getOpenAPIV3Schema());
            });
      }
      return definition;
    }

    private static void explain(String path, JSONSchemaProps schema) {
      if (Boolean.TRUE.equals(schema.getXKubernetesPreserveUnknownFields())) {
        // CEL rules cannot read a field without a type.
        schema.setType("object");
      }
      if (schema.getProperties() != null) {
        schema
            .getProperties()
            .forEach((name, field) -> {
              String inner = path + "." + name;
              if (field.getDescription() == null) {
                field.setDescription(description(name, inner));
              }
              explain(inner, field);
            });
      }
      if (schema.getItems() != null && schema.getItems().getSchema() != null) {
        explain(path, schema.getItems().getSchema());
      }
    }

    private static String description(String name, String path) {
      String pod =
          path.replaceFirst("^.*[.]template[.]", "pod.spec.")
              .replaceFirst("^pod[.]spec[.]resources", "pod.spec.containers.resources");
      return ROOTS.containsKey(name) && path.equals("." + name)
          ? String.valueOf(ROOTS.get(name))
          : "As %s of a Pod".formatted(pod.substring("pod.".length()));
    }
  }

  private File directory() {
    return generated.toFile();
  }
}
