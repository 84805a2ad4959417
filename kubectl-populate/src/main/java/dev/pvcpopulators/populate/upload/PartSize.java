package dev.pvcpopulators.populate.upload;

import java.time.Duration;

/// The size of the next part of an upload. Within its limits, the size is adapted so that a part
/// takes 1 to 4 seconds. Therefore the client repeats at most a few seconds of data after an
/// interruption, and a part on a slow line stays within its time limit.
///
/// @param bytes the size in bytes, from [#LEAST] to [#MOST]
record PartSize(int bytes) {
  static final int LEAST = 256 << 10;
  static final int MOST = 4 << 20;

  private static final int FIRST = 1 << 20;
  private static final Duration SHORT = Duration.ofSeconds(1);
  private static final Duration LONG = Duration.ofSeconds(4);

  /// Returns the size of the first part. Every format except a fixed VHD is recognised by the first
  /// bytes of the image, so the service refuses a wrong format after the first part.
  static PartSize first() {
    return new PartSize(FIRST);
  }

  /// Returns the size of the next part, if this part took the given time.
  PartSize after(Duration took) {
    if (took.compareTo(SHORT) < 0) {
      return new PartSize(Math.min(MOST, bytes * 2));
    }
    return took.compareTo(LONG) > 0 ? interrupted() : this;
  }

  /// Returns the size of the next part, if this part was interrupted or too slow.
  PartSize interrupted() {
    return new PartSize(Math.max(LEAST, bytes / 2));
  }
}
