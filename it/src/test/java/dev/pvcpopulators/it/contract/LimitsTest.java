package dev.pvcpopulators.it.contract;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.CopyOutcome;
import dev.pvcpopulators.it.Curl;
import dev.pvcpopulators.it.Seed;
import dev.pvcpopulators.it.Service;
import dev.pvcpopulators.it.container.Container;
import dev.pvcpopulators.it.disk.QemuImg;
import dev.pvcpopulators.it.disk.VolumeDirectory;
import dev.pvcpopulators.it.image.LayersVolume;
import dev.pvcpopulators.it.layers.RealImages;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Checks that the memory limit of the manifests suffices for inputs that need much memory. The
/// limit also applies to the page cache.
@Tag("nightly")
final class LimitsTest {
  private static final Seed SEED = Seed.of("LimitsTest");
  private static final Duration LIMIT = Duration.ofMinutes(10);
  private static final int MEBIBYTE = 1 << 20;

  /// The length of the disk in MiB. The disk is larger than the largest accepted compression
  /// window.
  private static final int MEBIBYTES = 192;

  private static final int PIECE = 8 * MEBIBYTE;

  private static final Pattern MEMORY_LIMIT =
      Pattern.compile("limits:.*?memory: (\\d+)Mi", Pattern.DOTALL);

  private static Path work;
  private static Path disk;

  @BeforeAll
  static void make(@TempDir Path directory) throws IOException {
    work = directory;
    disk = directory.resolve("disk.raw");
    Random random = SEED.random();
    byte[] block = new byte[MEBIBYTE];
    try (OutputStream out = Files.newOutputStream(disk)) {
      for (int i = 0; i < MEBIBYTES; i++) {
        random.nextBytes(block);
        out.write(block);
      }
    }
  }

  /// Returns the memory limit of the manifests in bytes.
  private static long allowed() throws IOException {
    Path manifest = Command.root().resolve("kubernetes/components/restricted/template.yaml");
    Matcher matcher = MEMORY_LIMIT.matcher(Files.readString(manifest));
    assertTrue(matcher.find(), manifest + " has no limit of memory");
    return Long.parseLong(matcher.group(1)) * MEBIBYTE;
  }

  @Test
  void uploadsWithLargeWindowsAndOfOtherHypervisors() throws IOException, InterruptedException {
    VolumeDirectory volume = VolumeDirectory.in(work, "volume");
    Container container = Container.on("http-upload", volume.path()).memory(allowed());
    try (Service service = container.start()) {
      judge(service, volume, disk, compressed(disk, "zstd", "-q", "-1", "--long=27", "-c"));
      // The data is smaller than the xz window, because xz needs minutes for 64 MiB of data. The
      // xz decoder always allocates the complete window.
      Path piece = piece();
      judge(service, volume, piece, compressed(piece, "xz", "--lzma2=preset=0,dict=64MiB", "-c"));
      Path vmdk = work.resolve("disk.vmdk");
      QemuImg.run("convert", "-f", "raw", "-O", "vmdk", disk.toString(), vmdk.toString());
      judge(service, volume, disk, vmdk);
      System.out.println(
          "LimitsTest: http-upload: peak resident set "
              + (service.peakResidentBytes() >> 20)
              + " of "
              + (allowed() >> 20)
              + " MiB");
    }
  }

  private static Path piece() throws IOException {
    Path piece = work.resolve("piece.raw");
    Command.into(piece, "head", "-c", Integer.toString(PIECE), disk.toString());
    return piece;
  }

  private static Path compressed(Path raw, String... program) throws IOException {
    Path file = work.resolve(raw.getFileName() + ".compressed");
    Command.into(file, "sh", "-c", String.join(" ", program) + " <\"$0\"", raw.toString());
    return file;
  }

  private static void judge(Service service, VolumeDirectory volume, Path raw, Path uploaded)
      throws IOException, InterruptedException {
    Curl.upload(uploaded, service.uri("/upload")).expect(201);
    QemuImg.assertIdentical(raw, "raw", volume.disk());
    service.http().delete("/volume").expect(204);
    Files.delete(uploaded);
  }

  /// The image contains Debian and PostgreSQL.
  @Test
  void anImageWithAnOperatingSystem() throws IOException, InterruptedException {
    LayersVolume volume = LayersVolume.in(work, "store");
    Container.on("image-to-qcow2-layers", volume.path())
        .memory(allowed())
        .mount(RealImages.LAYOUT, "/images", false)
        .with("IMAGE_TO_QCOW2_LAYERS_IMAGE", "oci:/images:postgres")
        .once(LIMIT)
        .expect(CopyOutcome.EX_OK);
  }
}
