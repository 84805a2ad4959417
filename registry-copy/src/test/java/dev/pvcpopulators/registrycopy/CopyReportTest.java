package dev.pvcpopulators.registrycopy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pvcpopulators.registry.Descriptor;
import dev.pvcpopulators.registry.Digest;
import dev.pvcpopulators.registry.Image;
import dev.pvcpopulators.registry.ImageConfig;
import dev.pvcpopulators.registry.Manifest;
import dev.pvcpopulators.registry.Platform;
import dev.pvcpopulators.registry.SourceReference;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class CopyReportTest {
  private static final Digest DIGEST = Digest.of(Digest.Algorithm.SHA256, new byte[0]);

  /// The first column contains environment variables of KubeVirt's containerDisks. The second
  /// column contains the labels that CDI derives from these variables.
  @ParameterizedTest
  @CsvSource({
    "INSTANCETYPE_KUBEVIRT_IO_DEFAULT_INSTANCETYPE, instancetype.kubevirt.io/default-instancetype",
    "INSTANCETYPE_KUBEVIRT_IO_DEFAULT_PREFERENCE, instancetype.kubevirt.io/default-preference",
    "KUBEVIRT_IO_VERSION, kubevirt.io/version"
  })
  void makesLabelsOfVariables(String variable, String label) {
    assertEquals(label, CopyReport.label(variable));
  }

  @Test
  void keepsOnlyVariablesOfKubeVirt() {
    JsonNode fields =
        report(
            List.of("PATH=/bin", "INSTANCETYPE_KUBEVIRT_IO_DEFAULT_PREFERENCE=fedora", "=odd", "X"),
            Map.of("maintainer", "somebody", "os.template.kubevirt.io/fedora", "true"));
    assertEquals(
        Map.of("INSTANCETYPE_KUBEVIRT_IO_DEFAULT_PREFERENCE", "fedora"),
        texts(fields.path("environment")));
    assertEquals(
        Map.of(
            "instancetype.kubevirt.io/default-preference", "fedora",
            "os.template.kubevirt.io/fedora", "true"),
        texts(fields.path("labels")));
  }

  @Test
  void leavesRoomForTheRestOfTheResult() {
    List<String> many =
        IntStream.range(0, 1_000)
            .mapToObj(i -> "A_KUBEVIRT_IO_N" + i + "=" + "v".repeat(90))
            .toList();
    String written = report(many, Map.of()).toString();
    assertTrue(written.length() < 3_000, written.length() + " characters");
    assertTrue(written.contains("A_KUBEVIRT_IO_N0"), "the first are kept");
  }

  @Test
  void leavesRoomAlsoWhereJsonEscapes() {
    String hostile = "\u0001".repeat(60);
    List<String> many =
        IntStream.range(0, 20).mapToObj(i -> "A" + i + "_KUBEVIRT_IO_N=" + hostile).toList();
    String written = report(many, Map.of("x.kubevirt.io/a", hostile)).toString();
    assertTrue(written.length() < 1_000, written.length() + " characters");
    String wide = "€".repeat(200);
    byte[] bytes =
        report(List.of("A_KUBEVIRT_IO_N=" + wide, "B_KUBEVIRT_IO_N=" + wide), Map.of())
            .toString()
            .getBytes(StandardCharsets.UTF_8);
    assertTrue(bytes.length < 2_500, bytes.length + " bytes");
  }

  @Test
  void showsOnlyTheBeginningOfALongPlatform() {
    Platform platform = new Platform("linux\u001b", "a".repeat(1_000), "");
    Image image =
        new Image(
            "x",
            DIGEST,
            Optional.of(platform),
            new Manifest("", "", new Descriptor("", DIGEST, 0, Map.of()), List.of(), Map.of()),
            Optional.empty());
    String shown =
        new CopyReport(SourceReference.parse("oci:x")).resolved(image).path("platform").asText();
    assertTrue(shown.startsWith("linux?/aaa") && shown.length() < 100, shown);
  }

  private static JsonNode report(List<String> environment, Map<String, String> labels) {
    ImageConfig config =
        new ImageConfig(
            Platform.parse("linux/amd64"),
            List.of(),
            environment,
            labels,
            List.of(),
            List.of(),
            "",
            "",
            List.of(),
            List.of(),
            "");
    Manifest manifest =
        new Manifest("", "", new Descriptor("", DIGEST, 0, Map.of()), List.of(), Map.of());
    Image image =
        new Image("x", DIGEST, Optional.of(config.platform()), manifest, Optional.of(config));
    return new CopyReport(SourceReference.parse("oci:x")).resolved(image);
  }

  private static Map<String, String> texts(JsonNode fields) {
    return fields.properties().stream()
        .collect(java.util.stream.Collectors.toMap(Map.Entry::getKey, e -> e.getValue().asText()));
  }
}
