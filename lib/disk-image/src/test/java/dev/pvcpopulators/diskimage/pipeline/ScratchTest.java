package dev.pvcpopulators.diskimage.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.diskimage.volume.Origin;
import dev.pvcpopulators.diskimage.volume.Preallocation;
import dev.pvcpopulators.diskimage.volume.VolumeTarget;
import dev.pvcpopulators.diskimage.volume.VolumeWriter;
import dev.pvcpopulators.diskimage.volume.WriteOptions;
import dev.pvcpopulators.it.Command;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Tests imports that must first store data in a scratch file, because the target is a block
/// device.
@Tag("tools")
@Timeout(300)
class ScratchTest {
  private static final Command QEMU_IMG = Command.of("qemu-img");
  private static final int MIB = 1 << 20;
  private static final int SIZE = 64 * MIB;

  @TempDir Path home;
  private Path raw = Path.of("");
  private Path scratch = Path.of("");

  @BeforeEach
  void makeDisk() throws IOException {
    scratch = Files.createDirectory(home.resolve("scratch"));
    raw = home.resolve("raw");
    byte[] data = new byte[20 * MIB];
    new Random(3).nextBytes(data);
    try (RandomAccessFile file = new RandomAccessFile(raw.toFile(), "rw")) {
      file.setLength(SIZE);
      file.write(data, 0, 9 * MIB);
      file.seek(SIZE - 11L * MIB);
      file.write(data, 9 * MIB, 11 * MIB);
    }
  }

  private Path image(String format, String options) {
    Path image = home.resolve("image");
    QEMU_IMG.with("convert", "-f", "raw", "-O", format, "-o", options, raw, image).bytes();
    return image;
  }

  private static void run(Path image, LoopVolume volume, Optional<Path> scratch)
      throws IOException {
    WriteOptions options = new WriteOptions(false, false, Preallocation.NONE, scratch, false);
    try (InputStream source = Files.newInputStream(image);
        VolumeWriter writer = VolumeTarget.of(volume.device()).open(options)) {
      ImportedImage found =
          DiskImport.run(
              source,
              OptionalLong.of(Files.size(image)),
              writer,
              Optional.empty(),
              ImportListener.NONE);
      writer.publish(Origin.digest(""), found.format());
    }
  }

  private void assertAccepted(Path image) throws IOException {
    try (LoopVolume volume = LoopVolume.make(SIZE)) {
      run(image, volume, Optional.of(scratch));
      QEMU_IMG.with("compare", "-f", "raw", "-F", "raw", raw, volume.device()).bytes();
    }
    try (Stream<Path> left = Files.list(scratch)) {
      assertEquals(List.of(), left.toList());
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "vmdk subformat=streamOptimized",
        "vdi static=off",
        "vpc force_size=on",
        "vhdx subformat=dynamic"
      })
  void convertsForABlockDeviceInTheScratchDirectory(String format) throws IOException {
    String[] words = format.split(" ", -1);
    Path image = image(words[0], words[1]);
    try (LoopVolume volume = LoopVolume.make(SIZE)) {
      UnsupportedFeatureException refusal =
          assertThrows(
              UnsupportedFeatureException.class, () -> run(image, volume, Optional.empty()));
      assertTrue(refusal.toString().contains("POPULATOR_SCRATCH"), refusal.toString());
    }
    assertAccepted(image);
  }

  /// Without a scratch directory, the import refuses the image, and the message advises a qemu-img
  /// command. The test runs this command.
  @Test
  void stagesSmallClustersInTheScratchDirectory() throws IOException {
    Path image = image("qcow2", "cluster_size=512");
    try (LoopVolume volume = LoopVolume.make(SIZE)) {
      UnsupportedFeatureException refusal =
          assertThrows(
              UnsupportedFeatureException.class, () -> run(image, volume, Optional.empty()));
      assertTrue(
          refusal.toString().contains("qemu-img convert -O qcow2 -o cluster_size=64k"),
          refusal.toString());
      Path advised = home.resolve("advised.qcow2");
      QEMU_IMG.with("convert", "-O", "qcow2", "-o", "cluster_size=64k", image, advised).bytes();
      run(advised, volume, Optional.empty());
      QEMU_IMG.with("compare", "-f", "raw", "-F", "raw", raw, volume.device()).bytes();
    }
    assertAccepted(image);
  }

  /// Even if `qemu-img` has converted the image, the import must write the first MiB last.
  @Test
  void leavesNoHalfDiskOnTheDevice() throws IOException {
    Path image = image("vmdk", "subformat=streamOptimized");
    try (LoopVolume volume = LoopVolume.make(SIZE / 2)) {
      assertThrows(
          IOException.class, () -> run(image, volume, Optional.of(scratch)), "too small a device");
      byte[] first = new byte[MIB];
      try (InputStream device = Files.newInputStream(volume.device())) {
        assertEquals(MIB, device.readNBytes(first, 0, MIB));
      }
      for (byte b : first) {
        assertEquals(0, b);
      }
    }
  }
}
