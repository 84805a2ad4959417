package dev.pvcpopulators.iscsitarget.medium;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.iscsitarget.overlay.CopyMode;
import dev.pvcpopulators.iscsitarget.overlay.OverlayMedium;
import dev.pvcpopulators.linux.NativeFile;
import dev.pvcpopulators.linux.SystemCallException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Tests media on a file system whose device has less storage than it reports, such as a thin
/// volume. The kernel accepts every write and fails later, when it writes the bytes to the device.
@Tag("tools")
class LostFlushTest {
  private static final int MIB = 1 << 20;
  private static final long LENGTH = 32L * MIB;

  /// The size in bytes that the device reports. The real size is [#POOL].
  private static final long DEVICE = 64L * MIB;

  private static final String POOL = "16m";
  private static final String ENLARGED = "128m";

  @TempDir Path pool;
  @TempDir Path thin;

  @BeforeEach
  void mount() throws Exception {
    run("mount", "-t", "tmpfs", "-o", "size=" + POOL, "tmpfs", pool.toString());
    Path device = pool.resolve("device");
    try (RandomAccessFile file = new RandomAccessFile(device.toFile(), "rw")) {
      file.setLength(DEVICE);
    }
    // The file system has no journal, because a failed journal stops all writes.
    run("mke2fs", "-q", "-F", "-t", "ext4", "-O", "^has_journal", device.toString());
    run(
        "flock",
        "/dev/loop-control",
        "mount",
        "-o",
        "loop,errors=continue",
        device.toString(),
        thin.toString());
  }

  @AfterEach
  void unmount() throws Exception {
    // `--lazy` is necessary, because the map file stays mapped into memory until garbage
    // collection.
    run("umount", "--lazy", thin.toString());
    run("umount", "--lazy", pool.toString());
  }

  /// Enlarges the pool. Later writes succeed, and the kernel reports no more errors.
  private void enlargePool() throws Exception {
    run("mount", "-o", "remount,size=" + ENLARGED, pool.toString());
  }

  private static void run(String... command) throws Exception {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), String.join(" ", command) + ": " + output);
  }

  /// Returns more data than fits into the pool.
  private static ByteBuffer much() {
    byte[] bytes = new byte[24 * MIB];
    new Random(1).nextBytes(bytes);
    return ByteBuffer.wrap(bytes);
  }

  @Test
  void afterAFlushThatFailedNoneSucceeds() throws Exception {
    Path path = thin.resolve("disk");
    try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
      file.setLength(LENGTH);
    }
    try (FileMedium medium = FileMedium.open(path, true)) {
      medium.write(0, much());
      assertThrows(IOException.class, medium::flush);
      enlargePool();
      assertThrows(IOException.class, medium::flush, "what was lost before is still lost");
    }
  }

  /// The kernel reports the loss of written data only once to each descriptor. In this test, a
  /// writeback before the flush receives the report.
  @Test
  void aLossThatAWritebackReportedFailsEachFlush() throws Exception {
    Path path = Files.createFile(thin.resolve("file"));
    try (NativeFile file = NativeFile.openToWrite(path, NativeFile.Links.REFUSED)) {
      assertThrows(
          SystemCallException.class,
          () -> {
            ByteBuffer bytes = much();
            for (long at = 0; bytes.hasRemaining(); at += MIB) {
              file.write(at, bytes.slice(bytes.position(), MIB));
              bytes.position(bytes.position() + MIB);
              file.startWriteback();
            }
            // Each call of `startWriteback` waits for the writeback that the previous call started.
            file.startWriteback();
            enlargePool();
            file.sync();
          });
      enlargePool();
      assertThrows(SystemCallException.class, file::sync, "what was lost before is still lost");
      assertThrows(SystemCallException.class, file::syncData);
    }
  }

  @Test
  void anOverlayNotesNoBlockThatWasLost() throws Exception {
    Path base = Files.createTempFile("base", ".img");
    try (RandomAccessFile file = new RandomAccessFile(base.toFile(), "rw")) {
      file.setLength(LENGTH);
    }
    DiskFiles files = DiskFiles.in(thin, "overlay");
    try (FileMedium below = FileMedium.open(base, false);
        OverlayMedium overlay = OverlayMedium.open(below, "base", files, CopyMode.COPY_ON_WRITE)) {
      overlay.flush();
      overlay.write(0, much());
      assertThrows(IOException.class, overlay::flush);
      enlargePool();
      assertThrows(IOException.class, overlay::flush);
      try (BlockMapFile map = BlockMapFile.open(files.map(), LENGTH, "base")) {
        assertEquals(0, map.second().count(), "blocks that are said to be on the storage");
      }
    }
    try (FileMedium below = FileMedium.open(base, false);
        OverlayMedium again = OverlayMedium.open(below, "base", files, CopyMode.COPY_ON_WRITE)) {
      assertEquals(0, again.ownBytes(), "bytes of blocks that were lost");
    } finally {
      Files.delete(base);
    }
  }

  @Test
  void anImageThatWasNotWrittenOutIsNotReadAnyMore() throws Exception {
    DiskFiles files = DiskFiles.in(thin, "disk");
    try (ArrivingMedium medium =
        ArrivingMedium.create(files, LENGTH, "image", FarReads.NONE, LENGTH)) {
      ByteBuffer data = much();
      medium.arrive(0, data);
      medium.arriveZeros(24L * MIB, 8L * MIB);
      assertThrows(StorageLostException.class, medium::complete);
      assertTrue(medium.isDiscredited());
      assertThrows(IOException.class, () -> medium.read(0, ByteBuffer.allocate(512)));
    }
    assertTrue(ArrivingMedium.openComplete(files, "image").isEmpty());
    enlargePool();
    assertTrue(
        ArrivingMedium.openPartial(files, LENGTH, "image", FarReads.NONE, LENGTH).isEmpty(),
        "a disk that lacks blocks which its map has");
  }
}
