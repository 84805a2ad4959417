package dev.pvcpopulators.diskimage.pipeline;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.diskimage.volume.MountedFileSystem;
import dev.pvcpopulators.diskimage.volume.Origin;
import dev.pvcpopulators.diskimage.volume.PublishedDisk;
import dev.pvcpopulators.diskimage.volume.VolumeTarget;
import dev.pvcpopulators.diskimage.volume.VolumeWriter;
import dev.pvcpopulators.diskimage.volume.WriteOptions;
import dev.pvcpopulators.it.Command;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Measures the cost of staging in the volume: the number of bytes that the kernel writes to the
/// volume's device.
@Tag("tools")
@Timeout(1200)
class StagedImportTest {
  private static final Command QEMU_IMG = Command.of("qemu-img");
  private static final int MIB = 1 << 20;
  private static final long CONTENT = 64L * MIB;

  @TempDir Path home;
  private Path image = Path.of("");

  @BeforeEach
  void content() throws IOException {
    image = home.resolve("image.qcow2");
    Path raw = home.resolve("source.raw");
    byte[] bytes = new byte[(int) CONTENT];
    new Random(11).nextBytes(bytes);
    try (RandomAccessFile file = new RandomAccessFile(raw.toFile(), "rw")) {
      file.write(bytes);
    }
    QEMU_IMG.with("convert", "-f", "raw", "-O", "qcow2", raw, image).bytes();
  }

  private static String said(String... command) {
    return new String(Command.of((Object[]) command).bytes(), StandardCharsets.UTF_8).strip();
  }

  private static long written(MountedFileSystem mounted) throws IOException {
    said("sync", "-f", mounted.root().toString());
    Path device = Path.of(said("findmnt", "-n", "-o", "SOURCE", mounted.root().toString()));
    return LoopVolume.written(device);
  }

  /// If data has left the window, the import writes it twice on a file system without reflinks
  /// (ext4), and once on a file system with reflinks (XFS).
  @ParameterizedTest
  @CsvSource({
    "EXT4, resized, 2",
    "EXT4, snapshotted, 2",
    "XFS, resized, 1.05",
    "XFS, snapshotted, 1.05"
  })
  void writesNoMoreThanScratchSpaceWould(MountedFileSystem.Kind kind, String history, double most)
      throws IOException {
    if (history.equals("resized")) {
      QEMU_IMG.with("resize", "-f", "qcow2", image, "600M").bytes();
    } else {
      QEMU_IMG.with("snapshot", "-c", "s", image).bytes();
      said("qemu-io", "-f", "qcow2", "-c", "write -P 9 1M 3M", image.toString());
    }
    try (MountedFileSystem mounted = MountedFileSystem.make(kind, 1024L * MIB)) {
      VolumeTarget volume = VolumeTarget.of(mounted.root());
      long before = written(mounted);
      PublishedDisk disk;
      try (InputStream source = Files.newInputStream(image);
          VolumeWriter writer = volume.open(WriteOptions.DEFAULTS)) {
        ImportedImage found =
            DiskImport.run(
                source, OptionalLong.empty(), writer, Optional.empty(), ImportListener.NONE);
        disk = writer.publish(Origin.digest(""), found.format());
      }
      long written = written(mounted) - before;
      assertTrue(disk.allocated() >= CONTENT, "allocated " + disk.allocated());
      assertTrue(
          written <= most * disk.allocated(),
          written + " bytes written, " + disk.allocated() + " allocated");
      QEMU_IMG.with("compare", "-f", "qcow2", "-F", "raw", image, disk.path()).bytes();
    }
  }
}
