package dev.pvcpopulators.it.upload;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
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
import dev.pvcpopulators.it.disk.LoopDevice;
import dev.pvcpopulators.it.disk.QemuImg;
import dev.pvcpopulators.it.disk.QemuIo;
import dev.pvcpopulators.it.disk.Recipe;
import dev.pvcpopulators.it.disk.Wrapping;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Checks uploads to a block device with old data.
@Tag("tools")
final class BlockVolumeTest {
  private static final long DEVICE_LENGTH = 96L << 20;
  private static final int MEBIBYTE = 1 << 20;
  private static final Seed SEED = Seed.of("BlockVolumeTest");

  private static Path work;
  private static LoopDevice device;

  @BeforeAll
  static void attach(@TempDir Path directory) throws IOException, InterruptedException {
    work = directory;
    device = LoopDevice.full(directory.resolve("device"), DEVICE_LENGTH);
  }

  @AfterAll
  static void detach() throws IOException, InterruptedException {
    device.close();
  }

  /// Fills the device with bytes 0xff before each test.
  @BeforeEach
  void soil() throws IOException, InterruptedException {
    Command.run(
        "sh",
        "-c",
        "tr '\\0' '\\377' </dev/zero | dd of=\"$0\" bs=1M count=96 iflag=fullblock conv=fsync"
            + " status=none",
        device.device().toString());
  }

  @Test
  @Tag("nightly")
  void rawWithHoles() throws IOException, InterruptedException {
    uploadAndCompare(Recipe.raw().getFirst(), Wrapping.NONE);
  }

  @Test
  @Tag("nightly")
  void rawOfAnOddNumberOfSectors() throws IOException, InterruptedException {
    uploadAndCompare(Recipe.raw().get(1), Wrapping.ZSTD);
  }

  @Test
  @Tag("nightly")
  void rawOfZeros() throws IOException, InterruptedException {
    uploadAndCompare(Recipe.raw().get(2), Wrapping.GZIP);
  }

  @Test
  void qcow2() throws IOException, InterruptedException {
    uploadAndCompare(Recipe.named("qcow2 version 3, clusters of 64k"), Wrapping.NONE);
  }

  @Test
  @Tag("nightly")
  void qcow2WithZeroClustersAndSubclusters() throws IOException, InterruptedException {
    uploadAndCompare(Recipe.named("qcow2 extended_l2"), Wrapping.NONE);
    soil();
    uploadAndCompare(Recipe.named("qcow2 zero clusters"), Wrapping.XZ);
  }

  /// The L1 table is at the end of the image. Therefore the service stages clusters on the device,
  /// after the end of the disk.
  @Test
  @Tag("nightly")
  void qcow2WithItsL1AtTheEnd() throws IOException, InterruptedException {
    Path image = work.resolve("grown.qcow2");
    QemuImg.create(image, "qcow2", "cluster_size=512", "16M");
    Path content = QemuIo.incompressible(work.resolve("content"), SEED.random());
    QemuIo.run(
        image, "qcow2", QemuIo.guestWrites(SEED.random(), content, 16L << 20, 20, 256 << 10));
    QemuImg.run("resize", "-q", image.toString(), "32M");
    QemuIo.run(image, "qcow2", List.of("write -q -P 9 30M 1M"));
    uploadAndCompare(image, "qcow2", image);
  }

  /// To convert a VHDX image, the service uses qemu-img, which reads the image from a file. Without
  /// POPULATOR_SCRATCH, a Block volume has no place for this file.
  @Test
  void vhdxIsRefusedWithAWayOut() throws IOException, InterruptedException {
    Path image =
        Recipe.named("VHDX, dynamic").make(Files.createTempDirectory(work, "vhdx"), SEED.random());
    try (Service service = start()) {
      Answer answer = Curl.upload(image, service.uri("/upload/")).expect(422);
      assertTrue(answer.problem().path("detail").asText().contains("qemu-img"), answer::toString);
    }
  }

  @Test
  @Tag("nightly")
  void refusesADiskLargerThanTheDevice() throws IOException, InterruptedException {
    Path large = work.resolve("large.qcow2");
    QemuImg.create(large, "qcow2", "", "97M");
    Path largeRaw = work.resolve("large.raw");
    QemuImg.create(largeRaw, "raw", "", "97M");
    try (Service service = start()) {
      assertTooLarge(Curl.upload(large, service.uri("/upload/")).answer());
      assertTooLarge(Curl.upload(largeRaw, service.uri("/upload/?format=raw")).answer());
      assertTooLarge(
          Curl.uploadChunked(Wrapping.GZIP.wrap(largeRaw), service.uri("/upload")).answer());
    }
  }

  /// After a SIGKILL during a transfer, the device does not look like a disk, and the next service
  /// accepts an upload.
  @Test
  void aCutPopulationLeavesAFirstMebibyteOfZeros() throws IOException, InterruptedException {
    Path image =
        Recipe.raw().getFirst().make(Files.createTempDirectory(work, "cut"), SEED.random());
    byte[] body = Files.readAllBytes(image);
    // If the first MiB of the disk contained only zeros, the device would look empty after a
    // complete upload.
    body[0] = 1;
    Files.write(image, body);
    try (Service service = start();
        RawUpload upload = RawUpload.put(service.base(), "/upload", body.length)) {
      upload.send(body, 0, body.length / 2);
      service.await(
          "half the disk",
          () ->
              service.http().head("/upload").number("upload-offset").orElse(0) >= body.length / 2
                  ? Optional.of(true)
                  : Optional.empty());
      service.kill();
    }
    assertFirstMebibyteIsZeros();
    try (Service service = start()) {
      service.volume().expect(404);
      assertFirstMebibyteIsZeros();
      Curl.upload(image, service.uri("/upload/")).expect(201);
      assertStartsWith(image);
    }
    // The next service has no record of this disk, but the content looks like a disk. Therefore the
    // service refuses the upload.
    try (Service service = Launch.on(device.device()).start()) {
      Curl.upload(image, service.uri("/upload/")).expect(409).problem();
      assertStartsWith(image);
    }
  }

  @Test
  @Tag("nightly")
  void deletedItDoesNotLookLikeADisk() throws IOException, InterruptedException {
    try (Service service = start()) {
      Path image =
          Recipe.raw().getFirst().make(Files.createTempDirectory(work, "deleted"), SEED.random());
      Curl.upload(image, service.uri("/upload/")).expect(201);
      service.http().delete("/volume").expect(204);
      assertFirstMebibyteIsZeros();
      service.volume().expect(404);
    }
  }

  /// The service replaces a foreign disk only if the settings permit an overwrite.
  @Test
  void keepsAnExistingDiskWithoutOverwrite() throws IOException, InterruptedException {
    Path image =
        Recipe.raw().getFirst().make(Files.createTempDirectory(work, "kept"), SEED.random());
    try (Service service = Launch.on(device.device()).start()) {
      Curl.upload(image, service.uri("/upload/")).expect(409).problem();
    }
    try (InputStream in = Files.newInputStream(device.device())) {
      byte[] expected = new byte[MEBIBYTE];
      Arrays.fill(expected, LoopDevice.GARBAGE);
      assertArrayEquals(expected, in.readNBytes(MEBIBYTE));
    }
  }

  /// If the first MiB of a device contains only zeros, the service treats the device as empty, even
  /// if old data follows.
  @Test
  void staleDataBehindAWipedBeginningIsNoDisk() throws IOException, InterruptedException {
    Command.run(
        "dd",
        "if=/dev/zero",
        "of=" + device.device(),
        "bs=1M",
        "count=1",
        "conv=fsync",
        "status=none");
    Path image =
        Recipe.raw().getFirst().make(Files.createTempDirectory(work, "stale"), SEED.random());
    try (Service service = Launch.on(device.device()).start()) {
      Curl.upload(image, service.uri("/upload/")).expect(201);
    }
    assertStartsWith(image);
  }

  /// Starts a service that may overwrite the old data. The old data looks like a disk.
  private static Service start() throws IOException, InterruptedException {
    return Launch.on(device.device()).with("POPULATOR_OVERWRITE", "true").start();
  }

  private static void uploadAndCompare(Recipe recipe, Wrapping wrapping)
      throws IOException, InterruptedException {
    Path image = recipe.make(Files.createTempDirectory(work, "image"), SEED.random());
    uploadAndCompare(image, recipe.format(), wrapping.wrap(image));
  }

  private static void uploadAndCompare(Path image, String format, Path uploaded)
      throws IOException, InterruptedException {
    try (Service service = start()) {
      Curl.upload(uploaded, service.uri("/upload/")).expect(201);
    }
    Path raw = Files.createTempFile(work, "expected", ".raw");
    QemuImg.toRaw(image, format, raw);
    assertStartsWith(raw);
  }

  private static void assertStartsWith(Path raw) throws IOException, InterruptedException {
    Command.run(
        "cmp", "-n", Long.toString(Files.size(raw)), raw.toString(), device.device().toString());
  }

  private static void assertFirstMebibyteIsZeros() throws IOException, InterruptedException {
    // Drops the page cache, so that the test reads the device as another node does.
    Command.run("blockdev", "--flushbufs", device.device().toString());
    try (InputStream in = Files.newInputStream(device.device())) {
      byte[] first = in.readNBytes(MEBIBYTE);
      assertEquals(MEBIBYTE, first.length);
      assertEquals(-1, Arrays.mismatch(new byte[MEBIBYTE], first), "first byte that is not 0");
    }
  }

  private static void assertTooLarge(Answer answer) {
    assertEquals(413, answer.status(), answer::toString);
    JsonNode problem = answer.problem();
    assertEquals(DEVICE_LENGTH, problem.path("availableBytes").asLong(), answer::toString);
    assertTrue(problem.path("requiredBytes").asLong() > DEVICE_LENGTH, answer::toString);
  }
}
