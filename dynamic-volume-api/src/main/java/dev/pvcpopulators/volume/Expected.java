package dev.pvcpopulators.volume;

import java.util.Set;

/// Which volume somebody means who asks for its removal, so that another one stays that has taken
/// its place meanwhile (RFC 9110, section 13.1.1).
public sealed interface Expected {
  /// Whatever there is, or nothing.
  record Anything() implements Expected {}

  /// Whatever there is, but not nothing.
  record Something() implements Expected {}

  /// The volume as one of these [VolumeStatus#revision] told of it.
  record Revision(Set<String> revisions) implements Expected {
    public Revision {
      revisions = Set.copyOf(revisions);
    }
  }

  /// True where it is what was meant.
  ///
  /// @param absent true where there is nothing
  default boolean metBy(String revision, boolean absent) {
    return switch (this) {
      case Anything _ -> true;
      case Something _ -> !absent;
      case Revision(var revisions) -> revisions.contains(revision);
    };
  }
}
