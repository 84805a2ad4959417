package dev.pvcpopulators.it.upload;

import static org.junit.jupiter.api.Assertions.assertEquals;
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
import dev.pvcpopulators.it.disk.QemuIo;
import dev.pvcpopulators.it.disk.Wrapping;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Checks uploads that do not fit into a volume of 64 MiB, and uploads to a read-only volume. The
/// service refuses these uploads, and leaves no file in the volume.
@Tag("tools")
final class FullVolumeTest {
  private static final long VOLUME_LENGTH = 64L << 20;
  private static final long TOO_LONG = 100L << 20;
  private static final Seed SEED = Seed.of("FullVolumeTest");

  private static Path work;
  private static Path longSparse;
  private static Path longData;
  private static Path fitting;
  private static Ext4Volume volume;
  private static Service service;
  private static long free;

  @BeforeAll
  static void start(@TempDir Path directory) throws IOException, InterruptedException {
    work = directory;
    longSparse = directory.resolve("sparse.raw");
    QemuImg.create(longSparse, "raw", "", Long.toString(TOO_LONG));
    longData = directory.resolve("data.raw");
    byte[] data = new byte[Math.toIntExact(TOO_LONG)];
    SEED.random().nextBytes(data);
    Files.write(longData, data);
    fitting = directory.resolve("fitting.qcow2");
    QemuImg.create(fitting, "qcow2", "", "32M");
    QemuIo.run(fitting, "qcow2", List.of("write -q -P 1 1M 8M"));
    volume = Ext4Volume.of(directory, "volume", VOLUME_LENGTH);
    service = Launch.on(volume.directory().path()).start();
    free = volume.settledUsable();
  }

  @AfterAll
  static void stop() throws IOException, InterruptedException {
    service.close();
    volume.close();
  }

  @AfterEach
  void leavesNothingAndStaysUsable() throws IOException, InterruptedException {
    volume.directory().assertEmpty();
    assertEquals(free, volume.settledUsable(), "free bytes, before and after");
    Curl.upload(fitting, service.uri("/upload/")).expect(201);
    volume.directory().assertOneDisk();
    QemuImg.assertIdentical(fitting, "qcow2", volume.directory().disk());
    service.http().delete("/volume").expect(204);
    volume.directory().assertEmpty();
  }

  @Test
  void rawWithItsLengthIsRefusedBeforeItsBody() throws IOException, InterruptedException {
    Curl.Result result =
        Curl.upload(
            longSparse,
            service.uri("/upload/?format=raw"),
            "-H",
            "Expect: 100-continue",
            "--expect100-timeout",
            "20");
    assertRefused(result, TOO_LONG);
    assertEquals(0, result.sent(), "bytes of the body that were sent");
  }

  @Test
  void rawFoundOutToBeRaw() throws IOException, InterruptedException {
    assertRefused(Curl.upload(longData, service.uri("/upload/")), TOO_LONG);
  }

  @Test
  void rawOfUnknownLength() throws IOException, InterruptedException {
    assertRefused(Curl.uploadChunked(longData, service.uri("/upload")), VOLUME_LENGTH / 2);
  }

  /// The disk contains only zeros, which need no space. The service must refuse the disk, because
  /// the disk is longer than the volume.
  @Test
  void zerosOfUnknownLength() throws IOException, InterruptedException {
    assertRefused(
        Curl.uploadChunked(longSparse, service.uri("/upload?format=raw")), VOLUME_LENGTH / 2);
  }

  @Test
  void rawInsideGzip() throws IOException, InterruptedException {
    assertRefused(
        Curl.upload(Wrapping.GZIP.wrap(longSparse), service.uri("/upload/")), VOLUME_LENGTH / 2);
  }

  @Test
  void qcow2WithALargerVirtualSize() throws IOException, InterruptedException {
    Path image = work.resolve("large.qcow2");
    QemuImg.create(image, "qcow2", "", "1T");
    assertRefused(Curl.upload(image, service.uri("/upload/")), 1L << 40);
  }

  @Test
  void vmdkWithALargerVirtualSize() throws IOException, InterruptedException {
    Path image = work.resolve("large.vmdk");
    QemuImg.create(image, "vmdk", "", "1G");
    assertRefused(Curl.upload(image, service.uri("/upload/")), 1L << 30);
  }

  /// Another process uses space of the volume during the upload. The disk is small enough for the
  /// volume, but the free space is not sufficient.
  @Test
  void volumeBecomesFullDuringTheUpload() throws IOException, InterruptedException {
    long length = 44L << 20;
    byte[] data = Files.readAllBytes(longData);
    Path other = work.resolve("volume/lost+found/other");
    try {
      try (RawUpload upload = RawUpload.put(service.base(), "/upload", length)) {
        upload.send(data, 0, 1 << 20);
        service.await(
            "the upload to begin",
            () ->
                service.http().head("/upload").number("upload-offset").orElse(0) > 0
                    ? Optional.of(true)
                    : Optional.empty());
        Command.run("fallocate", "-l", Long.toString(30L << 20), other.toString());
        sendAsFarAsItGoes(upload, data, 1 << 20, Math.toIntExact(length));
        Answer answer = upload.answer();
        assertEquals(507, answer.status(), answer::toString);
        assertNamesBothSizes(answer, 1);
      }
    } finally {
      Files.deleteIfExists(other);
    }
  }

  /// The service answers 400, because a read-only mount is intentional, and a retry does not help.
  @Test
  void aVolumeThatIsMountedReadOnly() throws IOException, InterruptedException {
    String path = volume.directory().path().toString();
    Command.run("mount", "-o", "remount,ro", path);
    try {
      Answer answer = Curl.upload(fitting, service.uri("/upload/")).answer();
      assertEquals(400, answer.status(), answer::toString);
      answer.problem("invalid-request");
    } finally {
      Command.run("mount", "-o", "remount,rw", path);
    }
  }

  /// Sends all bytes, or ends early if the service closes the connection.
  private static void sendAsFarAsItGoes(RawUpload upload, byte[] data, int from, int to) {
    try {
      upload.send(data, from, to);
    } catch (IOException e) {
      System.out.println("FullVolumeTest: sending ended early: " + e.getMessage());
    }
  }

  private static void assertRefused(Curl.Result result, long atLeast) {
    Answer answer = result.answer();
    assertTrue(Set.of(413, 507).contains(answer.status()), () -> answer + "\n" + result.err());
    assertNamesBothSizes(answer, atLeast);
  }

  private static void assertNamesBothSizes(Answer answer, long atLeast) {
    JsonNode problem = answer.problem();
    long required = problem.path("requiredBytes").asLong(-1);
    long available = problem.path("availableBytes").asLong(-1);
    assertTrue(required >= atLeast, answer::toString);
    assertTrue(available >= 0 && available < VOLUME_LENGTH, answer::toString);
    if (answer.status() == 413) {
      assertTrue(required > available, answer::toString);
    }
  }
}
