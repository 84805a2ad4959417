package dev.pvcpopulators.populate.claim;

import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.VolumeException;
import java.time.Duration;
import java.util.function.Consumer;

/// Pauses between attempts, and limits the time without progress. Reports interruptions of the
/// upload, and the reasons of pauses, as notes to a consumer.
public final class Patience {
  private static final Duration FIRST_PAUSE = Duration.ofMillis(250);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);
  private static final Duration POLL = Duration.ofMillis(500);

  /// After this time without a report from the operator, a note advises the user to run `kubectl
  /// populate doctor`. A running operator reports within 2 s.
  private static final Duration SILENCE = Duration.ofSeconds(10);

  private final Duration limit;
  private final Consumer<String> notes;
  private String noted = "";
  private boolean advised;
  private long last = System.nanoTime();
  private Duration pause = FIRST_PAUSE;

  /// Creates an object whose time limit begins now.
  ///
  /// @param limit the longest time without progress
  /// @param notes gets a sentence for each interruption and each reason to wait
  public Patience(Duration limit, Consumer<String> notes) {
    this.limit = limit;
    this.notes = notes;
  }

  /// Records progress: restarts the time limit, and resets the pause of [#pauseAfterFailure] to its
  /// first length.
  public void progressed() {
    last = System.nanoTime();
    pause = FIRST_PAUSE;
  }

  /// Passes a sentence to the consumer of notes, unless it equals the previous sentence.
  ///
  /// @return whether the sentence is new
  public boolean note(String sentence) {
    boolean fresh = !sentence.equals(noted);
    if (fresh) {
      noted = sentence;
      notes.accept(sentence);
    }
    return fresh;
  }

  /// Pauses before the caller observes the cluster again. A new reason restarts the time limit. If
  /// the operator has not reported about the claim for 10 s, a note names `kubectl populate
  /// doctor`, the command that finds the cause.
  ///
  /// @param reason what the command waits for
  /// @throws VolumeException if the time limit is over
  public void pause(String reason) throws VolumeException, InterruptedException {
    if (note("Waiting: " + reason)) {
      last = System.nanoTime();
    }
    boolean silent =
        reason.equals(ClaimState.UNREPORTED) && System.nanoTime() - last > SILENCE.toNanos();
    if (silent && !advised) {
      advised = true;
      notes.accept("kubectl populate doctor shows what the cluster lacks");
    }
    requireTime(reason);
    Thread.sleep(POLL);
  }

  /// Pauses after a failure. The first pause takes 250 ms. Each further pause takes twice as long
  /// as the previous one, at most 10 s. After progress, the next pause takes 250 ms again.
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
