package dev.pvcpopulators.terminal;

import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.LongAdder;

/// The rate of a counter over the last ten seconds, from samples at least half a second apart. The
/// caller takes the first sample after the first bytes have arrived, so that the time before the
/// first bytes does not count.
public final class RateWindow {
  private static final long SAMPLE_MILLIS = 500;
  private static final long WINDOW_MILLIS = 10_000;

  /// The minimum length of a meaningful window.
  private static final long LEAST_MILLIS = 2_000;

  private record Sample(long millis, long bytes) {}

  private final InstantSource clock;
  private final Deque<Sample> samples = new ArrayDeque<>();
  private volatile long due;

  /// Creates a window without samples.
  public RateWindow(InstantSource clock) {
    this.clock = clock;
    due = clock.millis();
  }

  /// Samples the counter, unless the last sample is less than half a second old.
  public void sample(LongAdder counter) {
    long now = clock.millis();
    if (now < due) {
      return;
    }
    synchronized (this) {
      if (now < due) {
        return;
      }
      due = now + SAMPLE_MILLIS;
      while (!samples.isEmpty() && now - samples.getFirst().millis() > WINDOW_MILLIS) {
        samples.removeFirst();
      }
      samples.addLast(new Sample(now, counter.sum()));
    }
  }

  /// Returns the bytes per second since the start of the window; 0 if the window is shorter than
  /// two seconds. The result decreases to 0 while no bytes arrive.
  public synchronized long bytesPerSecond(LongAdder counter) {
    if (samples.isEmpty()) {
      return 0;
    }
    sample(counter);
    Sample first = samples.getFirst();
    long millis = clock.millis() - first.millis();
    return millis < LEAST_MILLIS ? 0 : Math.max(0, (counter.sum() - first.bytes()) * 1000 / millis);
  }
}
