package dev.pvcpopulators.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.microsoft.playwright.CDPSession;
import dev.pvcpopulators.it.disk.VolumeDirectory;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// Measures the growth of the browser's memory during the upload of a file that is larger than the
/// permitted growth.
@Tag("nightly")
@ExtendWith(Chromium.Parameter.class)
@Timeout(1200)
final class LargeUploadTest {
  private static final Seed SEED = Seed.of("LargeUploadTest");
  private static final long MIB = 1 << 20;
  private static final long LENGTH = 4096 * MIB;

  /// The number of blocks of 1 MiB that the test writes at random offsets of the file. The rest of
  /// the file is sparse.
  private static final int PLACES = 64;

  /// The permitted growth of the memory of all browser processes, in bytes.
  private static final long MOST_MORE = 512 * MIB;

  /// The limit for the page's objects and buffers, in bytes.
  private static final long MOST_HEAP = 64 * MIB;

  private long peak;
  private long heapPeak;

  @Test
  void usesBoundedMemory(Chromium chromium, @TempDir Path work)
      throws IOException, InterruptedException {
    Path raw = work.resolve("large.raw");
    try (RandomAccessFile file = new RandomAccessFile(raw.toFile(), "rw")) {
      file.setLength(LENGTH);
      Random random = SEED.random();
      byte[] block = new byte[Math.toIntExact(MIB)];
      for (int place = 0; place < PLACES; place++) {
        random.nextBytes(block);
        file.seek(random.nextLong(LENGTH / MIB) * MIB);
        file.write(block);
      }
    }
    VolumeDirectory volume = VolumeDirectory.in(work, "volume");
    try (Service service = Launch.on(volume.path()).start();
        BrowserSession session = chromium.session().open(service.base())) {
      session.awaitState("idle");
      CDPSession protocol = session.protocol();
      long before = proportionalBytes(chromium);
      UploadPage upload = new UploadPage(session).pick(raw);
      session.awaitState("sending");
      while (!session.state().equals("done")) {
        measure(chromium, protocol);
        upload.awaitOther(session.field("percent"));
      }
      System.out.println(
          "LargeUploadTest: MiB of the browser's processes before "
              + before / MIB
              + ", at most "
              + peak / MIB
              + "; of the page's heap at most "
              + heapPeak / MIB);
      assertTrue(peak - before < MOST_MORE, () -> before + " bytes before, then " + peak);
      assertTrue(heapPeak < MOST_HEAP, () -> "heap: " + heapPeak + " bytes");
      upload.assertDone(raw, "raw", volume);
      assertEquals(LENGTH, Files.size(volume.disk()));
    }
  }

  private void measure(Chromium chromium, CDPSession protocol) throws IOException {
    peak = Math.max(peak, proportionalBytes(chromium));
    JsonObject usage = protocol.send("Runtime.getHeapUsage");
    long heap = 0;
    for (String part : List.of("usedSize", "backingStorageSize")) {
      JsonElement bytes = usage.get(part);
      heap += bytes == null ? 0 : bytes.getAsLong();
    }
    heapPeak = Math.max(heapPeak, heap);
  }

  /// Returns the sum of the proportional set sizes (PSS) of all browser processes, in bytes. PSS
  /// divides the size of a shared memory page by the number of processes that share this page.
  private static long proportionalBytes(Chromium chromium) throws IOException {
    long bytes = 0;
    for (ProcessHandle process : chromium.processes()) {
      try {
        bytes += proportionalBytes(process.pid());
      } catch (IOException e) {
        // A process of an earlier test may end at any time.
        if (process.isAlive()) {
          throw e;
        }
      }
    }
    return bytes;
  }

  private static long proportionalBytes(long pid) throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/" + pid, "smaps_rollup"))) {
      if (line.startsWith("Pss:")) {
        return Long.parseLong(line.replaceAll("\\D", "")) << 10;
      }
    }
    throw new AssertionError("No Pss in /proc/" + pid + "/smaps_rollup");
  }
}
