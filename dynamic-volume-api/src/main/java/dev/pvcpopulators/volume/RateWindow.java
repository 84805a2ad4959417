package dev.pvcpopulators.volume;

import java.time.Clock;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.LongAdder;

/// The rate of a counter over its last ten seconds, from samples at least half a second apart.
final class RateWindow {
  private static final long SAMPLE_MILLIS = 500;
  private static final int SAMPLES = 20;

  private record Sample(long millis, long bytes) {}

  private final Clock clock;
  private final Deque<Sample> samples = new ArrayDeque<>(SAMPLES + 1);
  private volatile long due;

  RateWindow(Clock clock) {
    this.clock = clock;
    samples.add(new Sample(clock.millis(), 0));
    due = clock.millis() + SAMPLE_MILLIS;
  }

  /// Notes where the counter is, unless that was done a moment ago.
  void sample(LongAdder counter) {
    long now = clock.millis();
    if (now < due) {
      return;
    }
    synchronized (this) {
      if (now < due) {
        return;
      }
      due = now + SAMPLE_MILLIS;
      samples.addLast(new Sample(now, counter.sum()));
      if (samples.size() > SAMPLES) {
        samples.removeFirst();
      }
    }
  }

  /// Bytes a second between the window's beginning and now; 0 where no time has passed. Falls
  /// towards 0 while nothing comes.
  synchronized long bytesPerSecond(LongAdder counter) {
    sample(counter);
    long now = clock.millis();
    Sample first = samples.getFirst();
    long millis = now - first.millis();
    return millis <= 0 ? 0 : Math.max(0, (counter.sum() - first.bytes()) * 1000 / millis);
  }
}
