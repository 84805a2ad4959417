package dev.pvcpopulators.it.upload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pvcpopulators.it.Answer;
import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.Curl;
import dev.pvcpopulators.it.Launch;
import dev.pvcpopulators.it.RawUpload;
import dev.pvcpopulators.it.Seed;
import dev.pvcpopulators.it.Service;
import dev.pvcpopulators.it.disk.Ext4Volume;
import dev.pvcpopulators.it.disk.QemuImg;
import dev.pvcpopulators.it.disk.Recipe;
import dev.pvcpopulators.it.disk.VolumeDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Checks the behaviour of `/volume` that is specific to http-upload. `VolumeContractTest` checks
/// the behaviour that all services share.
@Tag("tools")
final class UploadVolumeTest {
  private static final String YAML = "pvc:\n  claimname: some-pvc-name";

  private static Path work;
  private static Path disk;
  private static byte[] body;
  private static VolumeDirectory volume;
  private static Service service;

  @BeforeAll
  static void start(@TempDir Path directory) throws IOException, InterruptedException {
    work = directory;
    disk = Recipe.qcow2().getFirst().make(directory, Seed.of("UploadVolumeTest").random());
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
  void deleteDuringAnUploadCancelsIt() throws IOException, InterruptedException {
    try (RawUpload upload = RawUpload.put(service.base(), "/upload", body.length)) {
      upload.send(body, 0, body.length / 2);
      service.awaitPhase("Transferring");
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
  void aStopDuringAnUploadIsAnswered() throws IOException, InterruptedException {
    VolumeDirectory other = VolumeDirectory.in(work, "stopped");
    try (Service stopping = Launch.on(other.path()).start()) {
      try (RawUpload upload = RawUpload.put(stopping.base(), "/upload", body.length)) {
        upload.send(body, 0, body.length / 2);
        stopping.awaitPhase("Transferring");
        Command.run("kill", "-TERM", Long.toString(stopping.pid()));
        upload.answer().expect(409).problem("cancelled");
      }
      assertEquals(143, stopping.awaitExit(), stopping::log);
      assertFalse(stopping.log().contains("ERROR"), stopping::log);
      other.assertEmpty();
    }
  }

  @Test
  @Tag("nightly")
  void aRestartRecognisesTheCompleteDisk() throws IOException, InterruptedException {
    VolumeDirectory other = VolumeDirectory.in(work, "restarted");
    try (Service first = Launch.on(other.path()).with("HTTP_UPLOAD_DIGEST", "true").start()) {
      Curl.upload(disk, first.uri("/upload/")).expect(201);
      first.stop();
    }
    try (Service second = Launch.on(other.path()).start()) {
      assertTrue(second.volume().expect(200).text().startsWith(YAML));
      JsonNode status = second.status();
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

  private static void assertPhase(String expected) throws IOException, InterruptedException {
    JsonNode status = service.status();
    assertEquals(expected, status.path("phase").asText(), status::toString);
  }

  private static void assertStatusKnowsTheTotal() throws IOException, InterruptedException {
    JsonNode status = service.status();
    assertEquals(body.length, status.path("totalBytes").asLong(), status::toString);
  }

  private static void assertReady() throws IOException, InterruptedException {
    assertPhase("Ready");
    assertTrue(service.volume().expect(200).text().startsWith(YAML));
    volume.assertOneDisk();
    QemuImg.assertIdentical(disk, "qcow2", volume.disk());
  }
}
