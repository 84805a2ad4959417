package dev.pvcpopulators.iscsitarget.block;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// Runs flushes in the background; no command waits for them. At most one flush runs and at most
/// one more flush is pending, regardless of the number of requests.
final class BackgroundFlush {
  private final BlockDevice blocks;
  private final AtomicBoolean asked = new AtomicBoolean();
  private final AtomicBoolean running = new AtomicBoolean();
  private final AtomicReference<@Nullable IOException> failure = new AtomicReference<>();

  BackgroundFlush(BlockDevice blocks) {
    this.blocks = blocks;
  }

  /// Requests a background flush of all data that was written before this call. Does not wait for
  /// the flush.
  void start() {
    asked.set(true);
    if (running.compareAndSet(false, true)) {
      Thread.ofVirtual().name("flush").start(this::run);
    }
  }

  private void run() {
    do {
      try {
        while (asked.getAndSet(false)) {
          blocks.flush();
        }
      } catch (IOException e) {
        failure.set(e);
      } finally {
        running.set(false);
      }
      // A request that arrives between the last check of `asked` and `running.set(false)` starts no
      // thread, so this loop has to serve the request.
    } while (asked.get() && running.compareAndSet(false, true));
  }

  /// Throws if a background flush has failed since the last call of this method. Data that was
  /// written before the failed flush may be lost.
  void reportFailure() throws IOException {
    IOException failed = failure.getAndSet(null);
    if (failed != null) {
      throw new IOException("An earlier flush failed", failed);
    }
  }
}
