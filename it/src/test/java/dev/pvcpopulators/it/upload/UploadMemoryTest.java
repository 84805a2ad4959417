package dev.pvcpopulators.it.upload;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.Curl;
import dev.pvcpopulators.it.Launch;
import dev.pvcpopulators.it.Rounds;
import dev.pvcpopulators.it.Seed;
import dev.pvcpopulators.it.Service;
import dev.pvcpopulators.it.disk.VolumeDirectory;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Checks the peak memory of the packaged service during compressed uploads, and the resident
/// memory after an upload. The uploads have compression windows of several sizes.
@Tag("tools")
final class UploadMemoryTest {
  private static final Seed SEED = Seed.of("UploadMemoryTest");
  private static final long MEBIBYTE = 1L << 20;

  /// The README's memory limit for uploads with zstd windows of up to 32 MiB or xz windows of up to
  /// 64 MiB.
  private static final long PROMISED = 256 * MEBIBYTE;

  /// The memory limit of the service's container in the Kubernetes manifests.
  private static final long LIMIT = 384 * MEBIBYTE;

  /// The limit for the resident memory after an upload.
  private static final long AFTERWARDS = 176 * MEBIBYTE;

  /// The length of the disk in MiB. The disk is more than twice as long as the largest zstd window
  /// of an accepted upload, so that the decoder uses the whole window. The size of this window is
  /// 32 MiB in `make test`, and 128 MiB in `make nightly`.
  private static final int LENGTH = Rounds.of(96, 300);

  private static Path work;
  private static Path disk;

  @BeforeAll
  static void make(@TempDir Path directory) throws IOException {
    work = directory;
    disk = directory.resolve("disk.raw");
    Random random = SEED.random();
    byte[] block = new byte[(int) MEBIBYTE];
    try (OutputStream out = Files.newOutputStream(disk)) {
      for (int i = 0; i < LENGTH; i++) {
        random.nextBytes(block);
        out.write(block);
      }
    }
  }

  /// Returns commands that compress with a window of 32 MiB and of 16 MiB. `make test` uses only
  /// the larger window.
  static Stream<String> zstd() {
    return Rounds.oneOf(2, List.of("zstd -q -1 --long=25", "zstd -q -1 --long=24"));
  }

  @ParameterizedTest
  @MethodSource("zstd")
  void keepsThePromiseForZstdWindowsOfUpTo32MiB(String program)
      throws IOException, InterruptedException {
    assertMemory(program, disk, PROMISED);
  }

  /// Uploads a disk of only 8 MiB, because xz needs minutes to compress more data than the window
  /// holds. A short disk is enough: the decoder always allocates and zeroes the whole window.
  @Test
  @Tag("nightly")
  void keepsThePromiseForTheLargestWindowOfXz() throws IOException, InterruptedException {
    Path piece = work.resolve("piece.raw");
    Command.into(piece, "head", "-c", Long.toString(8 * MEBIBYTE), disk.toString());
    assertMemory("xz -T1 --lzma2=preset=0,dict=64MiB", piece, PROMISED);
  }

  @Test
  @Tag("nightly")
  void staysBelowThePodsLimitWithTheLargestWindow() throws IOException, InterruptedException {
    assertMemory("zstd -q -1 --long=27", disk, LIMIT);
  }

  @Test
  void refusesStreamsThatNeedMoreMemory() throws IOException, InterruptedException {
    Path large = compressed("zstd -q -1 --ultra --long=28", disk);
    VolumeDirectory volume = VolumeDirectory.in(work, "refused");
    try (Service service = Launch.on(volume.path()).shipped().start()) {
      Curl.upload(large, service.uri("/upload")).expect(422).problem();
      assertTrue(service.peakResidentBytes() < PROMISED);
    }
  }

  private static void assertMemory(String program, Path raw, long most)
      throws IOException, InterruptedException {
    Path upload = compressed(program, raw);
    VolumeDirectory volume = VolumeDirectory.in(work, program.replaceAll("\\W", ""));
    try (Service service = Launch.on(volume.path()).shipped().start()) {
      Curl.upload(upload, service.uri("/upload")).expect(201);
      long peak = service.peakResidentBytes();
      System.out.println(
          "UploadMemoryTest: " + program + ": peak " + peak / MEBIBYTE + " MiB resident");
      assertTrue(peak < most, () -> program + ": peak resident set " + peak);
      Command.run("cmp", raw.toString(), volume.disk().toString());
      // The service may answer before the heap has shrunk.
      service.await(
          "a resident set below " + AFTERWARDS / MEBIBYTE + " MiB",
          () -> Optional.of(service.residentBytes()).filter(resident -> resident < AFTERWARDS));
      service.http().delete("/volume").expect(204);
    }
    Files.delete(upload);
  }

  private static Path compressed(String program, Path raw) throws IOException {
    Path file = work.resolve("compressed");
    Command.into(file, "sh", "-c", program + " -c <\"$0\"", raw.toString());
    return file;
  }
}
