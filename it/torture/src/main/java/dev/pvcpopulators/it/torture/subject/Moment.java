package dev.pvcpopulators.it.torture.subject;

import java.time.Duration;
import java.util.Locale;
import java.util.SplittableRandom;

/// When a fault strikes.
///
/// @param fraction below 1 of the bytes that have to come; from there on, by how much of the time
///   that the job takes after its last byte it is later than that
/// @param held below 1, whether nothing more comes until the fault has struck, so that the service
///   has got everything so far; otherwise it is in the midst of it
public record Moment(double fraction, boolean held) {
  /// So much of all moments is after the last byte: that is where disks get their names.
  private static final double AFTER = 1.4;

  /// A moment that has not come by then does not come: the fault strikes at once.
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

  /// What part of the time after the last byte, below 1.
  double fractionAfter() {
    return Math.max(fraction - 1, 0) / (AFTER - 1);
  }

  /// Of so many bytes.
  long bytes(long length) {
    return (long) (Math.min(fraction, 1) * length);
  }

  /// Milliseconds after the last byte, for a job that takes so many then: up to twice of them.
  long millisAfter(long tail) {
    return (long) (fractionAfter() * 2 * tail);
  }

  @Override
  public String toString() {
    return String.format(Locale.ROOT, "%.3f%s", fraction, held ? " held" : "");
  }
}
