package dev.pvcpopulators.it.contract;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pvcpopulators.it.Answer;
import dev.pvcpopulators.it.Content;
import dev.pvcpopulators.it.Launch;
import dev.pvcpopulators.it.Seed;
import dev.pvcpopulators.it.Service;
import dev.pvcpopulators.it.disk.Recipe;
import dev.pvcpopulators.it.disk.VolumeDirectory;
import dev.pvcpopulators.it.image.Family;
import dev.pvcpopulators.it.image.ImageLayout;
import dev.pvcpopulators.it.image.LyingRegistry;
import dev.pvcpopulators.it.image.Packing;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Checks that texts from clients and registries cannot add lines or control sequences to the log,
/// and cannot add control sequences to problem details.
@Tag("tools")
final class LogInjectionTest {
  /// A text with control sequences, with a bidirectional override, and with four kinds of line
  /// ends.
  private static final String HOSTILE =
      "x\u001b[2J\u001b]0;y\u0007\u202e\u009b1m\u200b\n"
          + "2026-01-01T00:00:00Z ERROR forged\rforged\u2028forged\u0085forged";

  private static final Pattern OBEYED =
      Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Co}\\p{Cn}\\u2028\\u2029&&[^\\n]]");
  private static final Pattern FORGED =
      Pattern.compile("(?m)^\\s*(2026-01-01T00:00:00Z ERROR )?forged");
  private static final int CREATED = 201;
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Seed SEED = Seed.of("LogInjectionTest");

  private static ImageLayout layout;

  @TempDir private Path work = Path.of("");

  @BeforeAll
  static void makeImage(@TempDir Path directory) throws IOException, InterruptedException {
    Path image = Recipe.qcow2().getFirst().make(directory, SEED.random());
    layout = ImageLayout.containerDisk(directory, "layout", Family.OCI, Packing.GZIP, image);
  }

  @Test
  void clientTextsCannotForgeLogLines() throws IOException, InterruptedException {
    VolumeDirectory volume = VolumeDirectory.in(work, "volume");
    try (Service service = Launch.of("registry-copy", volume.path()).start()) {
      for (String body :
          List.of(
              JSON.writeValueAsString(Map.of(HOSTILE, HOSTILE)),
              JSON.writeValueAsString(Map.of("image", HOSTILE)),
              JSON.writeValueAsString(Map.of("image", "docker://127.0.0.1:1/" + HOSTILE)),
              JSON.writeValueAsString(Map.of("image", "docker://" + HOSTILE + "/disk")),
              JSON.writeValueAsString(Map.of("image", "oci:" + HOSTILE)),
              JSON.writeValueAsString(Map.of("platform", HOSTILE)),
              JSON.writeValueAsString(Map.of("path", HOSTILE)),
              HOSTILE,
              "image: &" + HOSTILE,
              "image: !" + HOSTILE,
              "{\"image\": " + HOSTILE,
              "{\"image\": x\u202e\u001b}")) {
        for (String type : List.of("application/json", "text/yaml")) {
          Answer answer = service.http().put("/volume", body.getBytes(UTF_8), "Content-Type", type);
          assertPlain(answer.problem().path("detail").asText());
        }
      }
      service.http().put("/upload/" + "%1b%5b2J%0aforged%e2%80%ae", new byte[1]).expect(404);
      assertPlain(service.log());
    }
  }

  @Test
  void registryTextsCannotForgeLogLines() throws IOException, InterruptedException {
    Content layer = layout.layers(ImageLayout.LATEST).getFirst();
    String manifest = Files.readString(layout.path(layout.tagged(ImageLayout.LATEST)));
    try (LyingRegistry registry = LyingRegistry.of(layout);
        Service service =
            Launch.of("registry-copy", VolumeDirectory.in(work, "volume").path())
                .with("REGISTRY_COPY_INSECURE_REGISTRIES", registry.address())
                .with("REGISTRY_COPY_RETRIES", "0")
                .start()) {
      String hostile = JSON.writeValueAsString(HOSTILE);
      for (String document :
          List.of(
              HOSTILE,
              "{" + hostile + ": " + hostile + ",",
              "{\"mediaType\": " + hostile + "}",
              "{\"errors\": [{\"code\": " + hostile + ", \"message\": " + hostile + "}]}",
              manifest.replaceAll("\"digest\":\"[^\"]*\"", "\"digest\": " + quoted(hostile)),
              manifest.replaceAll(
                  "\"mediaType\":\"[^\"]*layer[^\"]*\"", "\"mediaType\": " + quoted(hostile)),
              titled(layer, hostile))) {
        registry.lies(
            ImageLayout.LATEST,
            LyingRegistry.bytes(Family.OCI.manifest(), LyingRegistry.text(document)));
        String image = "image: " + registry.image(ImageLayout.LATEST);
        Answer answer =
            service.http().put("/volume", image.getBytes(UTF_8), "Content-Type", "text/yaml");
        if (answer.status() == CREATED) {
          // The copy succeeds if only the layer's media type is hostile: for a container image, the
          // service detects the format of a layer from its bytes, not from the media type.
          service.http().delete("/volume").expect(204);
        } else {
          assertPlain(answer.problem().path("detail").asText());
        }
      }
      assertPlain(service.log());
    }
  }

  /// Returns the manifest of an artifact with two files that have different titles. The request
  /// selects neither file.
  private static String titled(Content layer, String title) {
    String file =
        """
        {"mediaType": "application/octet-stream", "digest": "%s", "size": %d,
        "annotations": {"org.opencontainers.image.title": %s}}\
        """
            .formatted(layer.digest(), layer.size(), title);
    String other = file.replace("\"x", "\"z");
    return """
    {"schemaVersion": 2, "mediaType": "%s", "artifactType": "application/x-disk",
    "config": {"mediaType": "application/vnd.oci.empty.v1+json",
    "digest": "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a",
    "size": 2}, "layers": [%s, %s]}\
    """
        .formatted(Family.OCI.manifest(), file, other);
  }

  private static String quoted(String replacement) {
    return Matcher.quoteReplacement(replacement);
  }

  private static void assertPlain(String text) {
    assertEquals(
        List.of(),
        OBEYED
            .matcher(text)
            .results()
            .map(it -> "U+%04X".formatted(it.group().codePointAt(0)))
            .toList(),
        text);
    assertFalse(FORGED.matcher(text).find(), text);
  }
}
