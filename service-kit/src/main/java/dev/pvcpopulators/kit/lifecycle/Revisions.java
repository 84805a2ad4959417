package dev.pvcpopulators.kit.lifecycle;

import java.time.Instant;

/// Generates a revision for each state of the volume between two changes. Revisions are unique,
/// also after a restart. Not thread-safe.
final class Revisions {
  private final String start;
  private long changes;

  /// Creates a generator.
  ///
  /// @param start the start of the service, which distinguishes its revisions from earlier ones
  Revisions(Instant start) {
    this.start = Long.toString(start.toEpochMilli(), Character.MAX_RADIX);
  }

  void changed() {
    changes++;
  }

  /// Returns the present revision: letters, digits and a hyphen.
  String now() {
    return start + "-" + changes;
  }
}
