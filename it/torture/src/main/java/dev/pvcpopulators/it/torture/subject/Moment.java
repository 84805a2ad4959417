package dev.pvcpopulators.it.torture.subject;

import java.time.Duration;
import java.util.Locale;
import java.util.SplittableRandom;

/// The moment at which a fault takes effect.
///
/// @param fraction below 1, a fraction of the bytes to transfer; from 1 on, the part above 1 is a
///   delay after the last byte
/// @param held whether a transfer stops at a moment before its last byte until the fault has taken
///   effect; the service has then received all bytes up to the moment
public record Moment(double fraction, boolean held) {
  /// The upper bound of the fraction. A large part of all moments is after the last byte, when
  /// disks get their names.
  private static final double AFTER = 1.4;

  /// The longest wait for a moment; after it the fault takes effect.
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

  /// Returns the position in the range of delays after the last byte, below 1.
  double fractionAfter() {
    return Math.max(fraction - 1, 0) / (AFTER - 1);
  }

  /// Returns the number of bytes of a total length that have passed at this moment.
  long bytes(long length) {
    return (long) (Math.min(fraction, 1) * length);
  }

  /// Returns the delay after the last byte in milliseconds: up to twice the usual time of the job
  /// after its last byte.
  long millisAfter(long tail) {
    return (long) (fractionAfter() * 2 * tail);
  }

  @Override
  public String toString() {
    return String.format(Locale.ROOT, "%.3f%s", fraction, held ? " held" : "");
  }
}
