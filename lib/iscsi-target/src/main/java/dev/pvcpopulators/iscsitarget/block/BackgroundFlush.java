package dev.pvcpopulators.iscsitarget.block;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// Flushes that nobody waits for: however many are asked for, one runs and one waits at most.
final class BackgroundFlush {
  private final Blocks blocks;
  private final AtomicBoolean asked = new AtomicBoolean();
  private final AtomicBoolean running = new AtomicBoolean();
  private final AtomicReference<@Nullable IOException> failure = new AtomicReference<>();

  BackgroundFlush(Blocks blocks) {
    this.blocks = blocks;
  }

  /// Makes what was written before stable, some time.
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
      // Whoever asked between the last look and the line above found it running.
    } while (asked.get() && running.compareAndSet(false, true));
  }

  /// Tells once what went wrong since the last time: what was written may be lost.
  void reportFailure() throws IOException {
    IOException failed = failure.getAndSet(null);
    if (failed != null) {
      throw new IOException("An earlier flush failed", failed);
    }
  }
}
