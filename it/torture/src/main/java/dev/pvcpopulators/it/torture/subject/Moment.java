package dev.pvcpopulators.it.torture.subject;

import java.time.Duration;
import java.util.Locale;
import java.util.SplittableRandom;

/// The moment at which a fault takes effect.
///
/// @param fraction below 1: of all bytes, the fraction that has been transferred when the fault
///   takes effect. 1 or more: the fault takes effect after the last byte; the part above 1
///   determines the delay
/// @param held whether the transfer waits until the fault has taken effect. Before the wait, the
///   service receives all bytes up to the moment. The flag has no effect for a moment after the
///   last byte.
public record Moment(double fraction, boolean held) {
  /// The exclusive upper bound of a random fraction. Two of seven moments are after the last byte,
  /// while the service publishes the disk.
  private static final double AFTER = 1.4;

  /// The time limit of the wait for the bytes before a moment. Some later waits have the same
  /// limit. The fault takes effect even if the moment was not reached within the limit.
  static final Duration LONGEST = Duration.ofSeconds(30);

  public Moment {
    if (fraction < 0) {
      throw new IllegalArgumentException("fraction: expected 0 or more, found " + fraction);
    }
  }

  static Moment any(SplittableRandom random) {
    return new Moment(random.nextDouble(AFTER), random.nextBoolean());
  }

  boolean afterTheLastByte() {
    return fraction >= 1;
  }

  /// Returns the delay after the last byte as a fraction of the maximum delay of random moments.
  /// The result is below 1 for a random moment, and 0 for a moment before the last byte.
  double fractionAfter() {
    return Math.max(fraction - 1, 0) / (AFTER - 1);
  }

  /// Returns the number of bytes that have been transferred at this moment.
  long bytes(long length) {
    return (long) (Math.min(fraction, 1) * length);
  }

  /// Returns the delay after the last byte in milliseconds, at most twice `tail` for a random
  /// moment.
  ///
  /// @param tail the usual time from the last byte to the end of the job, in milliseconds
  long millisAfter(long tail) {
    return (long) (fractionAfter() * 2 * tail);
  }

  @Override
  public String toString() {
    return String.format(Locale.ROOT, "%.3f%s", fraction, held ? " held" : "");
  }
}
