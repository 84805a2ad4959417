package dev.pvcpopulators.iscsitarget.medium;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.pvcpopulators.iscsitarget.medium.Medium.Access;
import dev.pvcpopulators.iscsitarget.overlay.CopyMode;
import dev.pvcpopulators.iscsitarget.overlay.OverlayMedium;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Tests media on a full file system of 1 MiB.
@Tag("tools")
class FullDiskTest {
  private static final int MIB = 1 << 20;
  private static final int BLOCK = 4096;

  /// The length of the disk in bytes. The map of this disk has several pages.
  private static final long LENGTH = 2L << 30;

  @TempDir Path small;
  @TempDir Path roomy;

  @BeforeEach
  void mount() throws Exception {
    run("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", small.toString());
  }

  @AfterEach
  void unmount() throws Exception {
    // `--lazy` is necessary, because the map file stays mapped into memory until garbage
    // collection.
    run("umount", "--lazy", small.toString());
  }

  private static void run(String... command) throws Exception {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), String.join(" ", command) + ": " + output);
  }

  private Medium base() throws IOException {
    Path file = roomy.resolve("base.img");
    try (RandomAccessFile base = new RandomAccessFile(file.toFile(), "rw")) {
      base.write(data(2 * MIB));
      base.setLength(LENGTH);
    }
    return FileMedium.open(file, false);
  }

  private static byte[] data(int length) {
    byte[] bytes = new byte[length];
    new Random(1).nextBytes(bytes);
    return bytes;
  }

  private static byte[] read(Medium medium, long offset, int length) throws IOException {
    byte[] bytes = new byte[length];
    medium.read(offset, ByteBuffer.wrap(bytes));
    return bytes;
  }

  @Test
  void anOverlayReportsNoSpaceAndContinues() throws IOException {
    byte[] ones = new byte[BLOCK];
    Arrays.fill(ones, (byte) 1);
    try (Medium base = base();
        OverlayMedium overlay =
            OverlayMedium.open(
                base, "base", DiskFiles.in(small, "overlay"), CopyMode.COPY_ON_WRITE)) {
      overlay.write(BLOCK, ByteBuffer.wrap(ones));
      ByteBuffer much = ByteBuffer.allocate(MIB);
      assertThrows(MediumFullException.class, () -> overlay.write(MIB, much));
      assertArrayEquals(ones, read(overlay, BLOCK, BLOCK));
      assertArrayEquals(read(base, MIB, MIB), read(overlay, MIB, MIB));
      assertThrows(MediumFullException.class, () -> overlay.cloneRest((_, _) -> {}));
      // Sets bits in each page of the map. The overlay must have allocated these pages earlier.
      overlay.deallocate(0, LENGTH);
      overlay.write(LENGTH - BLOCK, ByteBuffer.wrap(ones));
      assertArrayEquals(ones, read(overlay, LENGTH - BLOCK, BLOCK));
      assertArrayEquals(new byte[2 * MIB], read(overlay, 0, 2 * MIB));
      overlay.flush();
    }
  }

  @Test
  void readsAreNotKeptWithoutSpace() throws IOException {
    try (Medium base = base();
        OverlayMedium overlay =
            OverlayMedium.open(
                base, "base", DiskFiles.in(small, "overlay"), CopyMode.COPY_ON_READ)) {
      assertArrayEquals(data(2 * MIB), read(overlay, 0, 2 * MIB));
      assertArrayEquals(data(2 * MIB), read(overlay, 0, 2 * MIB));
    }
  }

  @Test
  void anArrivingDiskReportsNoSpace() throws IOException {
    byte[] data = data(2 * MIB);
    DiskFiles files = DiskFiles.in(small, "disk");
    try (ArrivingMedium medium =
        ArrivingMedium.create(files, LENGTH, "id", FarReads.NONE, Long.MAX_VALUE)) {
      medium.arrive(0, ByteBuffer.wrap(data, 0, BLOCK));
      assertThrows(
          MediumFullException.class,
          () -> medium.arrive(BLOCK, ByteBuffer.wrap(data, BLOCK, 2 * MIB - BLOCK)));
      assertNull(medium.arrival(0, BLOCK, Access.READ));
      assertThrows(NotArrivedException.class, () -> read(medium, MIB, 1));
    }
  }

  @Test
  void createsNoMapWithoutSpace() throws IOException {
    assertThrows(
        MediumFullException.class,
        () ->
            ArrivingMedium.create(
                DiskFiles.in(small, "disk"), 64L << 30, "id", FarReads.NONE, Long.MAX_VALUE));
  }
}
