package dev.pvcpopulators.volume;

import java.util.Set;

/// The precondition of a deletion (RFC 9110, section 13.1.1). [Revision] prevents the removal of a
/// volume that is newer than the client expects.
public sealed interface Expected {
  /// No precondition.
  record Anything() implements Expected {}

  /// There must be a volume; its revision does not matter.
  record Something() implements Expected {}

  /// The present [VolumeStatus#revision] must be one of `revisions`.
  record Revision(Set<String> revisions) implements Expected {
    public Revision {
      revisions = Set.copyOf(revisions);
    }
  }

  /// Returns whether the present volume, or its absence, meets this precondition.
  ///
  /// @param revision the revision in the status; the status has a revision even if there is no
  ///   volume
  /// @param absent true if there is no volume
  default boolean metBy(String revision, boolean absent) {
    return switch (this) {
      case Anything _ -> true;
      case Something _ -> !absent;
      case Revision(var revisions) -> revisions.contains(revision);
    };
  }
}
