package dev.pvcpopulators.it.copy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pvcpopulators.it.Answer;
import dev.pvcpopulators.it.Content;
import dev.pvcpopulators.it.Launch;
import dev.pvcpopulators.it.Seed;
import dev.pvcpopulators.it.Service;
import dev.pvcpopulators.it.disk.QemuImg;
import dev.pvcpopulators.it.disk.Recipe;
import dev.pvcpopulators.it.disk.VolumeDirectory;
import dev.pvcpopulators.it.image.Family;
import dev.pvcpopulators.it.image.ImageLayout;
import dev.pvcpopulators.it.image.Packing;
import dev.pvcpopulators.it.image.Registry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Checks the behaviour of `/volume` that is specific to registry-copy. `VolumeContractTest` checks
/// the behaviour that all services share.
@Tag("tools")
final class CopyServiceTest {
  private static final String YAML = "pvc:\n  claimname: some-pvc-name";
  private static final String CONFIGURED = "service:configured";
  private static final String OTHER = "service:other";
  private static final Seed SEED = Seed.of("CopyServiceTest");

  private static Path configured;
  private static Path other;
  private static ImageLayout layout;
  private static Content layer;
  private static Registry registry;
  private static VolumeDirectory volume;
  private static Launch launch;
  private static Service service;

  @BeforeAll
  static void start(@TempDir Path directory) throws IOException, InterruptedException {
    registry = Registry.open(directory.resolve("registry"));
    configured = Recipe.qcow2().getFirst().make(directory, SEED.random());
    Path place = Files.createDirectory(directory.resolve("other"));
    other = Recipe.raw().getFirst().make(place, SEED.random(1));
    layout = ImageLayout.containerDisk(directory, "one", Family.OCI, Packing.GZIP, configured);
    layer = layout.layers(ImageLayout.LATEST).getFirst();
    registry.push(layout, ImageLayout.LATEST, CONFIGURED);
    registry.push(
        ImageLayout.containerDisk(directory, "two", Family.DOCKER, Packing.GZIP, other),
        ImageLayout.LATEST,
        OTHER);
    volume = VolumeDirectory.in(directory, "volume");
    launch =
        Launch.of("registry-copy", volume.path())
            .with("REGISTRY_COPY_IMAGE", registry.image(CONFIGURED))
            .with("REGISTRY_COPY_INSECURE_REGISTRIES", registry.address());
    service = launch.start();
    service.volume().expect(404);
  }

  @AfterAll
  static void stop() {
    service.close();
    registry.close();
  }

  @AfterEach
  void clear() throws IOException, InterruptedException {
    service.http().delete("/volume").expect(204);
    volume.assertEmpty();
  }

  @Test
  void putMakesTheDiskOfTheConfiguredImage() throws IOException, InterruptedException {
    assertTrue(put("").expect(201).text().startsWith(YAML));
    assertHas(configured, "qcow2");
    assertTrue(put("").expect(200).text().startsWith(YAML));
    assertTrue(service.volume().expect(200).text().startsWith(YAML));
    JsonNode status = service.status();
    assertEquals("Ready", status.path("phase").asText(), status::toString);
    assertEquals(100, status.path("percent").asInt(), status::toString);
    assertEquals(layer.size(), status.path("bytesIn").asLong(), status::toString);
    assertEquals(layer.size(), status.path("totalBytes").asLong(), status::toString);
    assertEquals(64L << 20, status.path("virtualSize").asLong(), status::toString);
    assertEquals("qcow2", status.path("format").asText(), status::toString);
    assertEquals(
        layout.tagged(ImageLayout.LATEST).digest(),
        status.path("sourceDigest").asText(),
        status::toString);
  }

  @Test
  void aBodyNamesAnotherImage() throws IOException, InterruptedException {
    put("image: " + registry.image(OTHER) + "\n").expect(201);
    assertHas(other, "raw");
    put("image: " + registry.image(OTHER) + "\n").expect(200);
    put("image: " + registry.image(CONFIGURED) + "\n").expect(409).problem();
    assertHas(other, "raw");
  }

  @Test
  void aBodySelectsThePartOfTheImage() throws IOException, InterruptedException {
    put("path: /disk/nothing\n").expect(422).problem();
    service.http().delete("/volume").expect(204);
    put("format: vmdk\n").expect(422).problem();
    service.http().delete("/volume").expect(204);
    put("path: /disk/*.qcow2\nformat: qcow2\nplatform: linux/amd64\n").expect(201);
    assertHas(configured, "qcow2");
  }

  @Test
  void refusesForbiddenFieldsOfABody() throws IOException, InterruptedException {
    for (String body :
        List.of(
            "colour: blue\n",
            "image: '::'\n",
            "path: relative\n",
            "path: /disk/../etc/passwd\n",
            "platform: x\n",
            "format: iso9660\n",
            // A client must not name a file of the pod as the image.
            "image: " + layout.reference(ImageLayout.LATEST) + "\n",
            "image: oci-archive:/etc/passwd\n")) {
      put(body).expect(400).problem();
    }
  }

  @Test
  void recognisesItsDiskAfterARestart() throws IOException, InterruptedException {
    put("").expect(201);
    service.close();
    service = launch.start();
    assertTrue(service.volume().expect(200).text().startsWith(YAML));
    registry.forget();
    put("").expect(200);
    assertEquals(0, registry.gets(layer), "requests for the layer");
    assertHas(configured, "qcow2");
  }

  private static Answer put(String body) throws IOException, InterruptedException {
    return body.isEmpty()
        ? service.http().put("/volume", new byte[0])
        : service.http().put("/volume", body.getBytes(UTF_8), "Content-Type", "application/yaml");
  }

  private static void assertHas(Path image, String format)
      throws IOException, InterruptedException {
    volume.assertOneDisk();
    QemuImg.assertIdentical(image, format, volume.disk());
  }
}
