package dev.pvcpopulators.kit.observe;

import dev.pvcpopulators.kit.lifecycle.VolumeLifecycle;
import dev.pvcpopulators.volume.VolumeStatus;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// Caches the status for 50 ms, so that all gauges of one scrape show the same status, and exactly
/// one phase has the value 1. The gauges show different statuses only if the 50 ms end during the
/// scrape. Thread-safe.
final class StatusSnapshot {
  private static final long LENGTH = Duration.ofMillis(50).toNanos();

  private final VolumeLifecycle lifecycle;
  private @Nullable VolumeStatus status;
  private long asked;

  StatusSnapshot(VolumeLifecycle lifecycle) {
    this.lifecycle = lifecycle;
  }

  synchronized VolumeStatus status() {
    VolumeStatus known = status;
    long now = System.nanoTime();
    if (known == null || now - asked > LENGTH) {
      known = lifecycle.status();
      status = known;
      asked = now;
    }
    return known;
  }
}
