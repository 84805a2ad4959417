package dev.pvcpopulators.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

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

/// Tests a file on a file system with less storage than its device reports, such as a thin volume
/// with an exhausted pool: the kernel accepts every byte, and fails when it writes them out.
@Tag("tools")
class LostWritebackTest {
  private static final int MIB = 1 << 20;

  /// The reported and the real size of the device.
  private static final long DEVICE = 64L * MIB;

  private static final String POOL = "16m";
  private static final String ENLARGED = "128m";

  /// More MiBs than the pool has.
  private static final int WRITTEN = 24;

  @TempDir Path pool;
  @TempDir Path thin;

  @BeforeEach
  void mount() throws Exception {
    run("mount", "-t", "tmpfs", "-o", "size=" + POOL, "tmpfs", pool.toString());
    Path device = pool.resolve("device");
    try (RandomAccessFile file = new RandomAccessFile(device.toFile(), "rw")) {
      file.setLength(DEVICE);
    }
    // Without a journal, which would stop all writes when it fails.
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
    run("umount", "--lazy", thin.toString());
    run("umount", "--lazy", pool.toString());
  }

  /// Enlarges the pool: later writes succeed, and the kernel reports no more errors.
  private void enlargePool() throws Exception {
    run("mount", "-o", "remount,size=" + ENLARGED, pool.toString());
  }

  private static void run(String... command) throws Exception {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), String.join(" ", command) + ": " + output);
  }

  /// Writes more bytes than the pool has, and waits until the kernel has written or lost them.
  private static void writeMuch(NativeFile file) throws IOException {
    byte[] mib = new byte[MIB];
    new Random(1).nextBytes(mib);
    for (int index = 0; index < WRITTEN; index++) {
      file.write((long) index * MIB, ByteBuffer.wrap(mib));
      file.startWriteback();
    }
    // Each call waits for the writeback that the call before it started.
    file.startWriteback();
  }

  @Test
  void aLossIsNeverSilent() throws Exception {
    Path path = Files.createFile(thin.resolve("file"));
    try (NativeFile file = NativeFile.openToWrite(path, NativeFile.Links.REFUSED)) {
      assertThrows(
          SystemCallException.class,
          () -> {
            writeMuch(file);
            enlargePool();
            file.sync();
          });
      enlargePool();
      assertThrows(SystemCallException.class, file::sync, "what was lost before is still lost");
      assertThrows(SystemCallException.class, file::syncData);
    }
  }
}
