package dev.pvcpopulators.diskimage.volume;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.diskimage.ExceedsVolumeException;
import dev.pvcpopulators.diskimage.ImageFormat;
import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.disk.LoopDevice;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Tests volumes on loop devices that contain old bytes. A device over a file on tmpfs supports
/// unmapping; a device over a file on ramfs does not.
@Tag("tools")
// Runs alone. Otherwise, a child process of another test could inherit the open device and keep the
// device busy for a moment.
@Isolated
class BlockVolumeTest {
  private static final int MIB = 1 << 20;
  private static final String DIGEST = "sha256:" + "b".repeat(64);

  /// The size of the device: a multiple of neither 1 MiB nor 4 KiB.
  private static final long SIZE = 40L * MIB + 3 * 512;

  @TempDir Path temporary;
  private @Nullable MountedFileSystem home;
  private @Nullable LoopDevice loop;

  @AfterEach
  void detach() throws IOException {
    try {
      if (loop != null) {
        loop.close();
      }
    } finally {
      if (home != null) {
        home.close();
      }
    }
  }

  private Path device() {
    return Objects.requireNonNull(loop).device();
  }

  private Path backing() {
    return Objects.requireNonNull(home).root().resolve("backing");
  }

  private VolumeTarget staleDevice(boolean unmapping) throws IOException {
    MountedFileSystem.Kind kind =
        unmapping ? MountedFileSystem.Kind.TMPFS : MountedFileSystem.Kind.RAMFS;
    home = MountedFileSystem.make(kind, 64L * MIB);
    writeBytes(backing(), SIZE, 0xAA);
    loop = LoopDevice.over(backing());
    return VolumeTarget.of(device());
  }

  private static void writeBytes(Path path, long size, int value) throws IOException {
    byte[] bytes = new byte[MIB];
    Arrays.fill(bytes, (byte) value);
    try (OutputStream out = Files.newOutputStream(path)) {
      for (long left = size; left > 0; left -= MIB) {
        out.write(bytes, 0, (int) Math.min(MIB, left));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void staleBytesShineThroughNowhere(boolean unmapping) throws IOException {
    long seed = System.nanoTime();
    System.out.println("staleBytesShineThroughNowhere " + unmapping + " seed " + seed);
    Random random = new Random(seed);
    VolumeTarget volume = staleDevice(unmapping);
    assertInstanceOf(BlockVolume.class, volume);
    assertEquals(SIZE, volume.available(true));
    try (Model model = new Model(temporary.resolve("model"), SIZE);
        VolumeWriter writer = volume.open(Overwriting.OPTIONS)) {
      // The ranges from 16 to 24 MiB, and from 30 MiB to the last five sectors, are not written.
      List<Model.Piece> pieces = Model.pieces(random, 0, 15L * MIB, 512, 3 * MIB);
      pieces.addAll(Model.pieces(random, 15L * MIB, 16L * MIB, 512, 512));
      pieces.addAll(Model.pieces(random, 24L * MIB, 30L * MIB, 1, 300_000));
      pieces.addAll(Model.pieces(random, SIZE - 5 * 512, SIZE, 512, 512));
      for (Model.Piece piece : pieces) {
        byte[] bytes = piece.bytes();
        model.put(piece.offset(), bytes);
        writer.write(piece.offset(), bytes, 0, bytes.length);
      }
      assertTrue(firstMibZero(), "the first MiB is written last");
      PublishedDisk disk = writer.publish(Origin.digest(DIGEST), ImageFormat.RAW);
      assertEquals(SIZE, disk.size());
      Command.run("cmp", model.path().toString(), device().toString());
    }
  }

  @ParameterizedTest
  @EnumSource(Preallocation.class)
  void preallocationDecidesWhetherHolesAreUnmapped(Preallocation preallocation) throws IOException {
    VolumeTarget volume = staleDevice(true);
    WriteOptions options = new WriteOptions(true, false, preallocation, Optional.empty(), false);
    try (Model model = new Model(temporary.resolve("model"), SIZE);
        VolumeWriter writer = volume.open(options)) {
      model.put(3L * MIB, filled(5000, 1));
      writer.write(3L * MIB, filled(5000, 1), 0, 5000);
      writer.publish(Origin.digest(DIGEST), ImageFormat.RAW);
      Command.run("cmp", model.path().toString(), device().toString());
    }
    long allocated =
        512 * Long.parseLong(Command.run("stat", "-c", "%b", backing().toString()).strip());
    assertEquals(
        preallocation == Preallocation.NONE, allocated < 4L * MIB, "allocated " + allocated);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void cutPopulationLeavesAFirstMibOfZeros(boolean unmapping) throws IOException {
    VolumeTarget volume = staleDevice(unmapping);
    assertTrue(volume.occupied());
    assertThrows(VolumeOccupiedException.class, () -> volume.open(WriteOptions.DEFAULTS).close());
    try (VolumeWriter writer = volume.open(Overwriting.OPTIONS)) {
      writer.write(0, filled(3 * MIB, 1), 0, 3 * MIB);
    }
    assertTrue(firstMibZero());
    assertFalse(volume.occupied());
    volume.removeLeftovers();
    try (VolumeWriter writer = volume.open(WriteOptions.DEFAULTS)) {
      writer.write(0, filled(100, 1), 0, 100);
      writer.publish(Origin.digest(DIGEST), ImageFormat.RAW);
    }
    assertTrue(volume.occupied());
  }

  @Test
  void deviceKeepsItsDiskUntilTheNewOnesSizeIsAccepted() throws IOException {
    VolumeTarget volume = staleDevice(true);
    try (VolumeWriter writer = volume.open(Overwriting.OPTIONS)) {
      ExceedsVolumeException e =
          assertThrows(ExceedsVolumeException.class, () -> writer.expect(SIZE + 1));
      assertFalse(e.full());
      assertThrows(ExceedsVolumeException.class, () -> writer.write(SIZE, filled(1, 1), 0, 1));
    }
    Command.run("cmp", backing().toString(), device().toString());
    assertTrue(volume.occupied());
    try (VolumeWriter writer = volume.open(Overwriting.OPTIONS)) {
      writer.expect(SIZE);
      writer.write(SIZE - 1, filled(1, 1), 0, 1);
      writer.publish(Origin.digest(DIGEST), ImageFormat.RAW);
    }
  }

  @Test
  void deviceInUseIsRefused() throws IOException {
    VolumeTarget volume = staleDevice(true);
    Command.run("mkfs.ext4", "-q", "-F", device().toString());
    Path mount = Files.createDirectory(temporary.resolve("mount"));
    Command.run("mount", device().toString(), mount.toString());
    try {
      IOException e =
          assertThrows(IOException.class, () -> volume.open(Overwriting.OPTIONS).close());
      assertTrue(String.valueOf(e.getMessage()).contains("in use"), String.valueOf(e.getMessage()));
    } finally {
      Command.run("umount", mount.toString());
    }
  }

  @Test
  void deleteRemovesOnlyWhatThisObjectPublished() throws IOException {
    VolumeTarget volume = staleDevice(true);
    volume.delete();
    assertTrue(volume.occupied());
    try (VolumeWriter writer = volume.open(Overwriting.OPTIONS)) {
      writer.write(0, filled(5 * MIB, 1), 0, 5 * MIB);
      writer.publish(Origin.digest(DIGEST), ImageFormat.RAW);
    }
    VolumeTarget.of(device()).delete();
    assertTrue(volume.occupied());
    volume.delete();
    assertFalse(volume.occupied());
    try (Model model = new Model(temporary.resolve("model"), SIZE)) {
      Command.run("cmp", model.path().toString(), device().toString());
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void cancelledPublicationIsNotADisk(boolean unmapping) throws Exception {
    VolumeTarget volume = staleDevice(unmapping);
    try (VolumeWriter writer = volume.open(Overwriting.OPTIONS)) {
      writer.write(0, filled(2 * MIB, 1), 0, 2 * MIB);
      Thread other = Thread.startVirtualThread(writer::cancel);
      other.join();
      assertThrows(
          InterruptedIOException.class,
          () -> writer.publish(Origin.digest(DIGEST), ImageFormat.RAW));
    }
    assertTrue(firstMibZero());
  }

  private boolean firstMibZero() throws IOException {
    try (InputStream in = Files.newInputStream(device())) {
      byte[] first = in.readNBytes(MIB);
      assertEquals(MIB, first.length);
      return Arrays.equals(first, new byte[MIB]);
    }
  }

  @Test
  void firstBytesAreWrittenInTheEnd() throws IOException {
    VolumeTarget volume = staleDevice(false);
    try (VolumeWriter writer = volume.open(Overwriting.OPTIONS)) {
      writer.write(510, new byte[] {0x55, (byte) 0xAA}, 0, 2);
      writer.write(0, filled(510, 1), 0, 510);
      writer.publish(Origin.digest(DIGEST), ImageFormat.RAW);
    }
    try (InputStream in = Files.newInputStream(device())) {
      byte[] first = in.readNBytes(4096);
      assertArrayEquals(filled(510, 1), Arrays.copyOf(first, 510));
      assertEquals(0x55, first[510]);
      assertArrayEquals(new byte[4096 - 512], Arrays.copyOfRange(first, 512, 4096));
    }
  }

  private static byte[] filled(int length, int value) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) value);
    return bytes;
  }
}
