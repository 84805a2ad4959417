package dev.pvcpopulators.it;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// `/volume` around an upload: what a cluster's controller and its people see.
final class ContractTest {
  private static final String YAML = "pvc:\n  claimname: some-pvc-name";
  private static final long LIMIT_SECONDS = 30;

  private static Path work;
  private static Path disk;
  private static byte[] body;
  private static VolumeDirectory volume;
  private static Service service;

  @BeforeAll
  static void start(@TempDir Path directory) throws IOException, InterruptedException {
    work = directory;
    disk = Recipe.qcow2().getFirst().make(directory, Seed.of("ContractTest").random());
    body = Files.readAllBytes(disk);
    volume = VolumeDirectory.in(directory, "volume");
    service = Launch.on(volume.path()).start();
    service.volume().expect(404);
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @AfterEach
  void clear() throws IOException, InterruptedException {
    service.http().delete("/volume").expect(204);
    volume.assertEmpty();
    assertPhase("Absent");
  }

  @Test
  void beforeAnythingWasAskedForThereIsNoVolume() throws IOException, InterruptedException {
    service.volume().expect(404).problem();
    assertPhase("Absent");
    service.http().delete("/volume").expect(204);
  }

  @Test
  void putBlocksUntilTheUploadIsThere()
      throws IOException, InterruptedException, ExecutionException, TimeoutException {
    CompletableFuture<Answer> first = service.http().putLater("/volume");
    CompletableFuture<Answer> second = service.http().putLater("/volume");
    awaitPhase("Pending");
    service.http().get("/volume").expect(202);
    assertFalse(first.isDone() || second.isDone());
    assertTrue(Curl.upload(disk, service.uri("/upload/")).expect(201).text().startsWith(YAML));
    for (CompletableFuture<Answer> put : List.of(first, second)) {
      Answer answer = put.get(LIMIT_SECONDS, TimeUnit.SECONDS);
      assertTrue(answer.status() == 201 || answer.status() == 200, answer::toString);
      assertTrue(answer.text().startsWith(YAML), answer::toString);
    }
    assertTrue(service.http().put("/volume", new byte[0]).expect(200).text().startsWith(YAML));
    assertReady();
  }

  @Test
  void whoeverPrefersSoIsAnsweredAtOnce() throws IOException, InterruptedException {
    Answer accepted =
        service.http().put("/volume", new byte[0], "Prefer", "respond-async").expect(202);
    assertEquals(Optional.of("/volume"), accepted.header("location"), accepted::toString);
    assertTrue(accepted.number("retry-after").orElse(0) > 0, accepted::toString);
    service.http().get("/volume").expect(202);
    Curl.upload(disk, service.uri("/upload")).expect(201);
    assertReady();
  }

  @Test
  void unknownFieldsAreRefused() throws IOException, InterruptedException {
    service
        .http()
        .put("/volume", "{\"colour\":\"blue\"}".getBytes(UTF_8), "Content-Type", "application/json")
        .expect(400)
        .problem();
    service
        .http()
        .put("/volume", "colour: blue\n".getBytes(UTF_8), "Content-Type", "application/yaml")
        .expect(400)
        .problem();
    assertPhase("Absent");
  }

  @Test
  void yamlIsTheDefaultAndJsonIsToBeHad() throws IOException, InterruptedException {
    Curl.upload(disk, service.uri("/upload/")).expect(201);
    Answer yaml = service.volume().expect(200);
    assertTrue(yaml.header("content-type").orElse("").startsWith("application/yaml"));
    assertTrue(yaml.text().startsWith(YAML), yaml::toString);
    Answer json = service.http().get("/volume", "Accept", "application/json").expect(200);
    assertTrue(json.header("content-type").orElse("").startsWith("application/json"));
    assertEquals(
        "some-pvc-name", json.json().path("pvc").path("claimname").asText(), json::toString);
    assertReady();
  }

  @Test
  void deleteDuringAnUploadCancelsIt() throws IOException, InterruptedException {
    try (RawUpload upload = RawUpload.put(service.base(), "/upload", body.length)) {
      upload.send(body, 0, body.length / 2);
      awaitPhase("Transferring");
      assertStatusKnowsTheTotal();
      service.http().delete("/volume").expect(204);
      volume.assertEmpty();
      Answer answer = upload.answer();
      assertTrue(answer.status() / 100 == 4 || answer.status() == 503, answer::toString);
      answer.problem();
    }
    service.volume().expect(404);
    Curl.upload(disk, service.uri("/upload/")).expect(201);
    assertReady();
  }

  @Test
  void deleteRemovesOnlyWhatTheServiceMade() throws IOException, InterruptedException {
    Path note = Files.writeString(volume.path().resolve("note.txt"), "somebody's");
    Curl.upload(disk, service.uri("/upload/")).expect(201);
    service.http().delete("/volume").expect(204);
    assertEquals(List.of("note.txt"), volume.names());
    Files.delete(note);
  }

  @Test
  void aFailureIsToldToEverybody() throws IOException, InterruptedException {
    byte[] broken = body.clone();
    broken[7] = 99;
    service.http().put("/upload", broken).expect(422).problem();
    service.http().get("/volume").expect(422).problem();
    JsonNode status = status();
    assertEquals("Failed", status.path("phase").asText(), status::toString);
    assertEquals(422, status.path("failure").path("status").asInt(), status::toString);
    volume.assertEmpty();
    Curl.upload(disk, service.uri("/upload/")).expect(201);
    assertReady();
  }

  @Test
  void aRestartKnowsTheFinishedDisk() throws IOException, InterruptedException {
    VolumeDirectory other = VolumeDirectory.in(work, "restarted");
    try (Service first = Launch.on(other.path()).with("HTTP_UPLOAD_DIGEST", "true").start()) {
      Curl.upload(disk, first.uri("/upload/")).expect(201);
      first.stop();
    }
    try (Service second = Launch.on(other.path()).start()) {
      assertTrue(second.volume().expect(200).text().startsWith(YAML));
      JsonNode status = second.http().get("/volume/status", "Accept", "application/json").json();
      assertEquals("Ready", status.path("phase").asText(), status::toString);
      assertEquals(
          "sha256:" + Command.run("sha256sum", disk.toString()).substring(0, 64),
          status.path("sourceDigest").asText(),
          status::toString);
      assertEquals("qcow2", status.path("format").asText(), status::toString);
      assertEquals(64L << 20, status.path("virtualSize").asLong(), status::toString);
      Curl.upload(disk, second.uri("/upload/")).expect(409).problem();
      QemuImg.assertIdentical(disk, "qcow2", other.disk());
      second.http().delete("/volume").expect(204);
      other.assertEmpty();
      Curl.upload(disk, second.uri("/upload/")).expect(201);
    }
  }

  @Test
  void sigtermDuringAnUploadLeavesNothing() throws IOException, InterruptedException {
    VolumeDirectory other = VolumeDirectory.in(work, "stopped");
    try (Service stopping = Launch.on(other.path()).start();
        RawUpload upload = RawUpload.put(stopping.base(), "/upload", body.length)) {
      upload.send(body, 0, body.length / 2);
      stopping.await(
          "the upload",
          () ->
              stopping.http().get("/volume").status() == 202
                  ? Optional.of(true)
                  : Optional.empty());
      stopping.stop();
    }
    other.assertEmpty();
  }

  @Test
  void theStreamOfEventsShowsProgressAndEnds()
      throws IOException, InterruptedException, ExecutionException, TimeoutException {
    CompletableFuture<Stream<String>> events = service.http().events("/volume/status");
    Process upload =
        Curl.begin(
            disk, service.uri("/upload/"), "--limit-rate", Integer.toString(body.length / 2));
    try (Stream<String> lines = events.get(LIMIT_SECONDS, TimeUnit.SECONDS)) {
      ObjectMapper json = new ObjectMapper();
      List<String> data =
          lines
              .filter(line -> line.startsWith("data:"))
              .map(line -> line.substring("data:".length()).strip())
              .toList();
      JsonNode last = json.readTree(data.getLast());
      assertEquals("Ready", last.path("phase").asText(), last::toString);
      assertEquals(body.length, last.path("bytesIn").asLong(), last::toString);
      boolean between = false;
      for (String each : data) {
        long bytes = json.readTree(each).path("bytesIn").asLong();
        between |= bytes > 0 && bytes < body.length;
      }
      assertTrue(between, () -> "no event in the middle of the upload: " + data);
      assertTrue(upload.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS));
      assertEquals(0, upload.exitValue());
    } finally {
      upload.destroyForcibly();
    }
  }

  @Test
  void healthAndMetrics() throws IOException, InterruptedException {
    service.http().get("/q/health/live").expect(200);
    service.http().get("/q/health/ready").expect(200);
    service.http().get("/q/health/started").expect(200);
    double before = metric("received_bytes");
    Curl.upload(disk, service.uri("/upload/")).expect(201);
    assertEquals(body.length, metric("received_bytes") - before, 0.5);
    assertTrue(metric("written_bytes") > 0);
  }

  @Test
  void theInterfaceIsDescribed() throws IOException, InterruptedException {
    Answer described = service.http().get("/q/openapi").expect(200);
    assertTrue(described.text().contains("/volume/status"), described::toString);
  }

  @Test
  void theDiskGrowsWhereThatIsAsked() throws IOException, InterruptedException {
    VolumeDirectory other = VolumeDirectory.in(work, "grown");
    try (Ext4Volume small = Ext4Volume.of(work, "expanding", 256L << 20);
        Service growing =
            Launch.on(small.directory().path()).with("POPULATOR_EXPAND", "true").start()) {
      Curl.upload(disk, growing.uri("/upload/")).expect(201);
      small.directory().assertOneDisk();
      long length = Files.size(small.directory().disk());
      assertTrue(length > 128L << 20 && length < 256L << 20, () -> "grown to " + length);
      QemuImg.assertIdentical(disk, "qcow2", small.directory().disk());
    }
    try (Service reserving =
        Launch.on(other.path()).with("POPULATOR_PREALLOCATION", "falloc").start()) {
      Curl.upload(disk, reserving.uri("/upload/")).expect(201);
      long allocated = VolumeDirectory.allocated(other.disk());
      assertTrue(allocated >= Files.size(other.disk()), () -> "allocated " + allocated);
      QemuImg.assertIdentical(disk, "qcow2", other.disk());
    }
  }

  private static double metric(String suffix) throws IOException, InterruptedException {
    Answer answer = service.http().get("/q/metrics").expect(200);
    Matcher matcher =
        Pattern.compile("(?m)^pvc_populator_" + suffix + "_total(?:\\{[^}]*})? (\\S+)$")
            .matcher(answer.text());
    assertTrue(matcher.find(), () -> "no " + suffix + " in " + answer);
    return Double.parseDouble(matcher.group(1));
  }

  private static JsonNode status() throws IOException, InterruptedException {
    return service.http().get("/volume/status", "Accept", "application/json").expect(200).json();
  }

  private static void assertPhase(String expected) throws IOException, InterruptedException {
    JsonNode status = status();
    assertEquals(expected, status.path("phase").asText(), status::toString);
  }

  private static void awaitPhase(String expected) throws IOException, InterruptedException {
    service.await(
        "phase " + expected,
        () ->
            status().path("phase").asText().equals(expected)
                ? Optional.of(true)
                : Optional.empty());
  }

  private static void assertStatusKnowsTheTotal() throws IOException, InterruptedException {
    JsonNode status = status();
    assertEquals(body.length, status.path("totalBytes").asLong(), status::toString);
  }

  private static void assertReady() throws IOException, InterruptedException {
    assertPhase("Ready");
    assertTrue(service.volume().expect(200).text().startsWith(YAML));
    volume.assertOneDisk();
    QemuImg.assertIdentical(disk, "qcow2", volume.disk());
  }
}
