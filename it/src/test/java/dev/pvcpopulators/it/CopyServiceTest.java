package dev.pvcpopulators.it;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// registry-copy as a service: `/volume` makes the disk, tells how far it is, and removes it.
final class CopyServiceTest {
  private static final String YAML = "pvc:\n  claimname: some-pvc-name";
  private static final String CONFIGURED = "service:configured";
  private static final String OTHER = "service:other";
  private static final long LIMIT_SECONDS = 30;
  private static final Seed SEED = Seed.of("CopyServiceTest");

  private static Path configured;
  private static Path other;
  private static ImageLayout layout;
  private static Content layer;
  private static Registry registry;
  private static LyingRegistry stalling;
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
    stalling = LyingRegistry.of(layout);
    stalling.lies(layer.digest(), stalling.stalled(layout.path(layer), layer.size() / 2));
    volume = VolumeDirectory.in(directory, "volume");
    launch =
        Launch.of("registry-copy", volume.path())
            .with("REGISTRY_COPY_IMAGE", registry.image(CONFIGURED))
            .with(
                "REGISTRY_COPY_INSECURE_REGISTRIES", registry.address() + "," + stalling.address());
    service = launch.start();
    service.volume().expect(404);
  }

  @AfterAll
  static void stop() {
    service.close();
    stalling.close();
    registry.close();
  }

  @AfterEach
  void clear() throws IOException, InterruptedException {
    service.http().delete("/volume").expect(204);
    volume.assertEmpty();
    assertEquals("Absent", status().path("phase").asText());
  }

  @Test
  void putMakesTheDiskOfTheConfiguredImage() throws IOException, InterruptedException {
    assertTrue(put("").expect(201).text().startsWith(YAML));
    assertHas(configured, "qcow2");
    assertTrue(put("").expect(200).text().startsWith(YAML));
    assertTrue(service.volume().expect(200).text().startsWith(YAML));
    JsonNode status = status();
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
  void aBodySaysWhatOfTheImage() throws IOException, InterruptedException {
    put("path: /disk/nothing\n").expect(422).problem();
    service.http().delete("/volume").expect(204);
    put("format: vmdk\n").expect(422).problem();
    service.http().delete("/volume").expect(204);
    put("path: /disk/*.qcow2\nformat: qcow2\nplatform: linux/amd64\n").expect(201);
    assertHas(configured, "qcow2");
  }

  @Test
  void whatABodyMayNotSayIsRefused() throws IOException, InterruptedException {
    for (String body :
        List.of(
            "colour: blue\n",
            "image: '::'\n",
            "path: relative\n",
            "path: /disk/../etc/passwd\n",
            "platform: x\n",
            "format: iso9660\n",
            // Files of this pod are the operator's to name.
            "image: " + layout.reference(ImageLayout.LATEST) + "\n",
            "image: oci-archive:/etc/passwd\n")) {
      put(body).expect(400).problem();
    }
  }

  @Test
  void failuresAreProblems() throws IOException, InterruptedException {
    assertEquals(
        404,
        put("image: " + registry.image("service:missing") + "\n")
            .expect(404)
            .problem()
            .path("status")
            .asInt());
    assertEquals("Failed", status().path("phase").asText());
  }

  @Test
  void secondPutsJoinTheFirst()
      throws IOException, InterruptedException, ExecutionException, TimeoutException {
    CompletableFuture<Answer> first = service.http().putLater("/volume");
    CompletableFuture<Answer> second = service.http().putLater("/volume");
    for (CompletableFuture<Answer> put : List.of(first, second)) {
      Answer answer = put.get(LIMIT_SECONDS, TimeUnit.SECONDS);
      assertTrue(answer.status() == 201 || answer.status() == 200, answer::toString);
    }
    assertHas(configured, "qcow2");
  }

  @Test
  void theStatusStreamTellsHowFarItIs()
      throws IOException, InterruptedException, ExecutionException, TimeoutException {
    CompletableFuture<Stream<String>> stream = service.http().events("/volume/status");
    put("").expect(201);
    try (Stream<String> lines = stream.get(LIMIT_SECONDS, TimeUnit.SECONDS)) {
      assertTrue(
          lines.anyMatch(line -> line.startsWith("data:") && line.contains("\"Ready\"")),
          "no event says that it is ready");
    }
  }

  /// DELETE while a layer comes: it stops coming, and nothing is left.
  @Test
  void deleteInTheMiddleLeavesNothing() throws IOException, InterruptedException {
    String body = "image: " + stalling.image(ImageLayout.LATEST) + "\n";
    service
        .http()
        .put(
            "/volume",
            body.getBytes(UTF_8),
            "Content-Type",
            "application/yaml",
            "Prefer",
            "respond-async")
        .expect(202);
    JsonNode half =
        service.await(
            "half of the layer",
            () -> Optional.of(status()).filter(now -> now.path("bytesIn").asLong() > 0));
    assertEquals("Transferring", half.path("phase").asText(), half::toString);
    assertEquals(layer.size(), half.path("totalBytes").asLong(), half::toString);
    service.http().get("/volume").expect(202);
    service.http().delete("/volume").expect(204);
    volume.assertEmpty();
    service.volume().expect(404);
    put("").expect(201);
    assertHas(configured, "qcow2");
  }

  @Test
  void afterARestartItKnowsWhatItMade() throws IOException, InterruptedException {
    put("").expect(201);
    service.close();
    service = launch.start();
    assertTrue(service.volume().expect(200).text().startsWith(YAML));
    registry.forget();
    put("").expect(200);
    assertEquals(0, registry.gets(layer), "requests for the layer");
    assertHas(configured, "qcow2");
  }

  @Test
  void metricsAndHealthAreThere() throws IOException, InterruptedException {
    put("").expect(201);
    service.http().get("/q/health/ready").expect(200);
    Answer metrics = service.http().get("/q/metrics").expect(200);
    assertTrue(metrics.text().contains("pvc_populator_"), metrics::toString);
  }

  private static Answer put(String body) throws IOException, InterruptedException {
    return body.isEmpty()
        ? service.http().put("/volume", new byte[0])
        : service.http().put("/volume", body.getBytes(UTF_8), "Content-Type", "application/yaml");
  }

  private static JsonNode status() throws IOException, InterruptedException {
    return service.http().get("/volume/status", "Accept", "application/json").expect(200).json();
  }

  private static void assertHas(Path image, String format)
      throws IOException, InterruptedException {
    volume.assertOneDisk();
    QemuImg.assertIdentical(image, format, volume.disk());
  }
}
