package dev.pvcpopulators.volume.job;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pvcpopulators.volume.Creation;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.Notation;
import dev.pvcpopulators.volume.VolumeException;
import dev.pvcpopulators.volume.VolumeLifecycle;
import dev.pvcpopulators.volume.VolumeRequest;
import dev.pvcpopulators.volume.VolumeStatus;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/// Makes the volume once and says how it went: by lines, by the termination message, by the exit
/// code.
final class JobRun {
  private static final Logger LOG = System.getLogger(JobRun.class.getName());
  private static final Duration BAR_INTERVAL = Duration.ofMillis(200);

  /// What the message takes, once the creation has ended or was given up: with the 25 s that
  /// [VolumeLifecycle#close] waits, less than the half minute that Kubernetes gives.
  private static final long STOP_SECONDS = 3;

  /// Where and how often to tell.
  ///
  /// @param terminal whether a person watches, who gets a bar that moves instead of lines
  record Reporting(PrintStream out, boolean terminal, Duration interval, Path terminationLog) {}

  private final VolumeLifecycle lifecycle;
  private final Reporting reporting;
  private final CountDownLatch told = new CountDownLatch(1);

  JobRun(VolumeLifecycle lifecycle, Reporting reporting) {
    this.lifecycle = lifecycle;
    this.reporting = reporting;
  }

  /// Runs to the end. SIGTERM cancels; the message is written all the same.
  ///
  /// @return 0, or the failure's exit code
  int run() throws InterruptedException {
    Runtime.getRuntime().addShutdownHook(new Thread(this::stop, "job-stop"));
    try {
      int code = follow(lifecycle.put(VolumeRequest.empty()));
      tellEnd(code);
      return code;
    } finally {
      told.countDown();
    }
  }

  private int follow(CompletableFuture<Creation> asked) throws InterruptedException {
    long millis = (reporting.terminal() ? BAR_INTERVAL : reporting.interval()).toMillis();
    while (true) {
      try {
        asked.get(millis, TimeUnit.MILLISECONDS);
        return 0;
      } catch (TimeoutException _) {
        tellProgress();
      } catch (ExecutionException e) {
        return failure(e.getCause()).exitCode();
      }
    }
  }

  private static Failure failure(@Nullable Throwable cause) {
    if (cause instanceof VolumeException failed) {
      return failed.failure();
    }
    throw new IllegalStateException(cause);
  }

  private void tellProgress() {
    VolumeStatus status = lifecycle.status();
    if (reporting.terminal()) {
      reporting.out().print("\r" + ProgressLine.bar(status) + "\u001b[K");
      reporting.out().flush();
    } else {
      reporting.out().println(ProgressLine.text(status));
    }
  }

  private void tellEnd(int code) {
    VolumeStatus status = lifecycle.status();
    String line = ProgressLine.end(status);
    ObjectNode result = status.document().put("exitCode", code);
    // Of use while they move; there may be more of them than the message has room for.
    result.remove("parts");
    if (reporting.terminal()) {
      reporting.out().println("\r" + ProgressLine.bar(status) + "\u001b[K");
    }
    if (!reporting.terminal() || code != 0) {
      reporting.out().println(line);
    }
    reporting.out().println(new String(Notation.JSON.write(result), StandardCharsets.UTF_8));
    reporting.out().flush();
    try {
      TerminationMessage.write(reporting.terminationLog(), TerminationMessage.of(line, result));
    } catch (IOException e) {
      // The result stands above and in the exit code: a missing message does not change it.
      LOG.log(Level.WARNING, "Writing {0}: {1}", reporting.terminationLog(), e.toString());
    }
  }

  private void stop() {
    if (told.getCount() == 0) {
      return;
    }
    lifecycle.close();
    try {
      if (!told.await(STOP_SECONDS, TimeUnit.SECONDS)) {
        LOG.log(
            Level.WARNING,
            "Stopping: the job has not told how it ended within {0} s",
            STOP_SECONDS);
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
