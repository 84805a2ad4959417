package dev.pvcpopulators.volume;

import java.time.Instant;

/// Names what the volume is from one change to the next: never the same for two of them, also not
/// over a restart. Not thread-safe.
final class Revisions {
  private final String start;
  private long changes;

  /// @param start when the service started, which sets its revisions apart from those before
  Revisions(Instant start) {
    this.start = Long.toString(start.toEpochMilli(), Character.MAX_RADIX);
  }

  void changed() {
    changes++;
  }

  /// The present one: letters, digits and a hyphen.
  String now() {
    return start + "-" + changes;
  }
}
