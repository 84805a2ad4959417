package dev.pvcpopulators.diskimage.qcow2;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.pvcpopulators.diskimage.qcow2.read.Qcow2Limits;
import dev.pvcpopulators.diskimage.qcow2.read.Qcow2Reader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Checks that a small heap is sufficient for hostile images.
class Qcow2MemoryTest {
  @TempDir private Path directory = Path.of("");

  @Test
  void scatteredTablesFitIntoASmallHeap() throws Exception {
    run("-Xmx24m", "scattered");
  }

  @Test
  void missedRunsFitIntoASmallHeap() throws Exception {
    run("-Xmx32m", "missed");
  }

  @Test
  void theLongestL1TableFitsIntoTheHeapOfTheService() throws Exception {
    run("-Xmx128m", "l1");
  }

  /// Reading the size of the disk must not allocate the reader's window. `kubectl populate upload`
  /// reads the size of the disk before the upload.
  @Test
  void theSizeNeedsNoWindow() throws IOException {
    byte[] image = new ImageBytes().toArray();
    ThreadMXBean thread = ManagementFactory.getPlatformMXBean(ThreadMXBean.class);
    long before = thread.getCurrentThreadAllocatedBytes();
    long size = new Qcow2Reader(Qcow2Limits.defaults()).guestSize(new ByteArrayInputStream(image));
    long allocated = thread.getCurrentThreadAllocatedBytes() - before;
    assertEquals(ImageBytes.SIZE, size);
    assertTrue(allocated < 4 << 20, () -> "allocated " + allocated);
  }

  private void run(String heap, String image) throws IOException, InterruptedException {
    Path output = directory.resolve("output");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                heap,
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                HostileStream.class.getName(),
                image)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    assertTrue(process.waitFor(5, TimeUnit.MINUTES), "still running");
    assertEquals(0, process.exitValue(), () -> read(output));
  }

  private static String read(Path output) {
    try {
      return Files.readString(output);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
