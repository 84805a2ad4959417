package dev.pvcpopulators.diskimage.volume;

import java.io.IOException;

/// Where space may be found when a volume has run full.
@FunctionalInterface
interface Room {
  /// No space can be found.
  Room NONE = () -> false;

  /// Gives something up for the disk that is being written.
  ///
  /// @return false when there was nothing left to give up
  boolean make() throws IOException;
}
