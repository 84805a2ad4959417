package dev.pvcpopulators.populate.claim;

import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.VolumeException;
import java.time.Duration;

/// Pauses between attempts, and limits the time without progress.
public final class Patience {
  private static final Duration FIRST_PAUSE = Duration.ofMillis(250);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);
  private static final Duration POLL = Duration.ofMillis(500);

  private final Duration limit;
  private long last = System.nanoTime();
  private Duration pause = FIRST_PAUSE;

  /// Creates a limit that begins now.
  ///
  /// @param limit the longest time without progress
  public Patience(Duration limit) {
    this.limit = limit;
  }

  /// Records progress: restarts the time limit, and shortens the next pause after a failure.
  public void progressed() {
    changed();
    pause = FIRST_PAUSE;
  }

  /// Records that the claim's state has changed: restarts the time limit.
  public void changed() {
    last = System.nanoTime();
  }

  /// Pauses before the cluster is observed again.
  ///
  /// @throws VolumeException if the time limit is over
  public void pause(String reason) throws VolumeException, InterruptedException {
    requireTime(reason);
    Thread.sleep(POLL);
  }

  /// Pauses after a failure. The pause doubles with each failure, up to a maximum, until there is
  /// progress.
  ///
  /// @throws VolumeException if the time limit is over
  public void pauseAfterFailure(String reason) throws VolumeException, InterruptedException {
    requireTime(reason);
    Thread.sleep(pause);
    Duration doubled = pause.multipliedBy(2);
    pause = doubled.compareTo(LONGEST_PAUSE) < 0 ? doubled : LONGEST_PAUSE;
  }

  private void requireTime(String reason) throws VolumeException {
    if (System.nanoTime() - last > limit.toNanos()) {
      throw new VolumeException(
          new Failure.SourceUnavailable(
              "Expected progress within %d s, found none: %s"
                  .formatted(limit.toSeconds(), reason)));
    }
  }
}
