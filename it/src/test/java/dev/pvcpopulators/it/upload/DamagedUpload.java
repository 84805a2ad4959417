package dev.pvcpopulators.it.upload;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pvcpopulators.it.Answer;
import dev.pvcpopulators.it.Service;
import dev.pvcpopulators.it.disk.QemuImg;
import dev.pvcpopulators.it.disk.VolumeDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/// Uploads damaged images. Checks that the service refuses an image, or writes the disk that
/// `qemu-img` reads from the image.
final class DamagedUpload {
  private static final int DISK_FULL = 507;
  private static final long MEBIBYTE = 1 << 20;

  /// The offset of `nb_snapshots` in the header of a qcow2 image. `snapshots_offset` follows, up to
  /// [#END_OF_SNAPSHOTS].
  private static final int SNAPSHOTS = 60;

  private static final int END_OF_SNAPSHOTS = 72;

  private interface DiskAssertion {
    void check() throws IOException, InterruptedException;
  }

  private final Service service;
  private final VolumeDirectory volume;
  private final Path scratch;
  private final Path expected;

  /// Creates a check for damaged copies of one image.
  ///
  /// @param expected the raw disk of the undamaged image
  DamagedUpload(Service service, VolumeDirectory volume, Path scratch, Path expected) {
    this.service = service;
    this.volume = volume;
    this.scratch = scratch;
    this.expected = expected;
  }

  /// Uploads a damaged image. The service may refuse the image with 4xx or 507. Otherwise, the disk
  /// must equal the output of `qemu-img convert`. If `qemu-img` refuses the image even without its
  /// snapshots, the disk must equal the undamaged disk.
  ///
  /// @param what the damage, for messages
  /// @return the status
  int judge(byte[] bytes, String what) throws IOException, InterruptedException {
    return judge(bytes, what, () -> assertDisk(bytes));
  }

  /// Uploads a damaged image that the service may refuse.
  ///
  /// @param check checks the disk in the volume; called if the service does not refuse the image
  private int judge(byte[] bytes, String what, DiskAssertion check)
      throws IOException, InterruptedException {
    Answer answer = service.http().put("/upload", bytes);
    try {
      if (answer.status() != 201) {
        assertRefusal(answer);
      } else {
        check.check();
      }
    } catch (AssertionError e) {
      Path kept = Files.createTempFile("it-failed", ".img");
      Files.write(kept, bytes);
      throw new AssertionError(
          what + " (kept as " + kept + "): " + e.getMessage() + "\n" + service.log(), e);
    }
    service.http().delete("/volume").expect(204);
    return answer.status();
  }

  /// Uploads a damaged compressed image. The service may refuse the image. The service may also
  /// accept the image, because damage to some fields of a header has no effect, for example to the
  /// time in gzip. The disk must then equal the undamaged disk. If one of the first 6 bytes is
  /// damaged, the service may also treat the bytes as a raw disk.
  ///
  /// @param bytes the damaged bytes, at least 6
  /// @param intact the undamaged compressed bytes
  /// @return the status
  int judgeCompressed(byte[] bytes, byte[] intact, String what)
      throws IOException, InterruptedException {
    return judge(
        bytes,
        what,
        () -> {
          if (QemuImg.identical(expected, volume.disk())) {
            volume.assertOneDisk();
            assertLengthOf(expected);
            return;
          }
          if (Arrays.equals(bytes, 0, 6, intact, 0, 6)) {
            throw new AssertionError("The disk differs from the undamaged disk");
          }
          assertDisk(bytes);
        });
  }

  private void assertRefusal(Answer answer) throws IOException {
    if (answer.status() / 100 != 4 && answer.status() != DISK_FULL) {
      throw new AssertionError("Expected a refusal, found " + answer);
    }
    answer.problem();
    volume.assertEmpty();
  }

  private void assertDisk(byte[] bytes) throws IOException, InterruptedException {
    volume.assertOneDisk();
    assertHoldsNoSecret(volume.disk());
    Path image = scratch.resolve("judged.img");
    Path raw = scratch.resolve("judged.raw");
    Files.write(image, bytes);
    try {
      // qemu-img may refuse an image because its snapshots or refcounts are damaged. The service
      // does not read these parts. If qemu-img refuses the image, the test removes the snapshots,
      // and runs qemu-img again. If qemu-img refuses this copy, too, the service must have made the
      // undamaged disk.
      boolean readable = QemuImg.triesToRaw(image, raw);
      if (!readable && bytes.length > END_OF_SNAPSHOTS) {
        Files.write(image, withoutSnapshots(bytes));
        readable = QemuImg.triesToRaw(image, raw);
      }
      Path reference = readable ? raw : expected;
      if (!QemuImg.identical(reference, volume.disk())) {
        throw new AssertionError("Expected the disk " + reference.getFileName());
      }
      assertLengthOf(reference);
    } finally {
      Files.deleteIfExists(image);
      Files.deleteIfExists(raw);
    }
  }

  private void assertLengthOf(Path reference) throws IOException {
    assertEquals(
        Math.ceilDiv(Files.size(reference), MEBIBYTE) * MEBIBYTE,
        Files.size(volume.disk()),
        "length of disk.img");
  }

  /// Returns a copy of a qcow2 image in which `nb_snapshots` and `snapshots_offset` are 0.
  private static byte[] withoutSnapshots(byte[] image) {
    byte[] copy = image.clone();
    Arrays.fill(copy, SNAPSHOTS, END_OF_SNAPSHOTS, (byte) 0);
    return copy;
  }

  /// Fails the test if the disk contains the first line of `/etc/passwd`. Does not check a disk of
  /// 64 MiB or more.
  static void assertHoldsNoSecret(Path disk) throws IOException {
    String secret = new String(Files.readAllBytes(Path.of("/etc/passwd")), ISO_8859_1);
    String first = secret.substring(0, secret.indexOf('\n'));
    if (Files.size(disk) < 64 << 20
        && new String(Files.readAllBytes(disk), ISO_8859_1).contains(first)) {
      throw new AssertionError("The disk holds /etc/passwd");
    }
  }
}
