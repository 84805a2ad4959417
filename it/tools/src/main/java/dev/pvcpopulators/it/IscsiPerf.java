package dev.pvcpopulators.it;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// A session of iscsi-perf, which reads a LUN until it is killed, and logs the target's messages.
/// Closing it kills it without a logout.
public final class IscsiPerf implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofMinutes(10);
  private static final long POLL_MILLIS = 20;

  private final Process process;
  private final Path log;

  private IscsiPerf(Process process, Path log) {
    this.process = process;
    this.log = log;
  }

  /// Logs in and begins to read.
  public static IscsiPerf of(IscsiLun lun) throws IOException {
    Path log = Files.createTempFile("iscsi-perf", ".log");
    ProcessBuilder builder =
        new ProcessBuilder(
                List.of(
                    "iscsi-perf", "-i", lun.initiator(), "-m", "4", "-b", "64", "-r", lun.url()))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    builder.environment().put("LIBISCSI_DEBUG", "2");
    return new IscsiPerf(builder.start(), log);
  }

  /// Waits until the log contains a text.
  public void await(String text) throws IOException, InterruptedException {
    long end = System.nanoTime() + LIMIT.toNanos();
    while (!Files.readString(log).contains(text)) {
      if (process.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS) || System.nanoTime() > end) {
        throw new AssertionError("iscsi-perf does not say: " + text + "\n" + Files.readString(log));
      }
    }
  }

  @Override
  public void close() throws IOException {
    process.destroyForcibly().onExit().join();
    Files.deleteIfExists(log);
  }
}
