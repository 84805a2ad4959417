package dev.pvcpopulators.it.operator;

import dev.pvcpopulators.it.Rounds;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/// Polls the cluster until a condition holds.
final class Waiting {
  /// In nightly runs, hundreds of claims at the same time need more than five minutes.
  private static final Duration LIMIT = Duration.ofMinutes(Rounds.of(5, 30));

  private static final Duration PAUSE = Duration.ofMillis(200);

  private Waiting() {}

  /// Repeats the question until it has an answer, and returns the answer. Fails the test after the
  /// time limit.
  static <T> T until(String what, Supplier<Optional<T>> question) throws InterruptedException {
    return until(what, PAUSE, question);
  }

  /// Polls with the given pause until a condition is true. Fails the test after the time limit.
  static void untilTrue(String what, Duration pause, Supplier<Boolean> question)
      throws InterruptedException {
    until(what, pause, () -> question.get() ? Optional.of(true) : Optional.empty());
  }

  private static <T> T until(String what, Duration pause, Supplier<Optional<T>> question)
      throws InterruptedException {
    long end = System.nanoTime() + LIMIT.toNanos();
    while (System.nanoTime() < end) {
      Optional<T> answer = question.get();
      if (answer.isPresent()) {
        return answer.get();
      }
      TimeUnit.MILLISECONDS.sleep(pause.toMillis());
    }
    throw new AssertionError("Time-out while waiting for " + what);
  }

  /// Polls until a condition is true. Fails the test after the time limit.
  static void untilTrue(String what, Supplier<Boolean> question) throws InterruptedException {
    untilTrue(what, PAUSE, question);
  }
}
