package dev.pvcpopulators.diskimage.volume;

import java.util.Optional;

/// The write options of tests that replace a disk.
final class Overwriting {
  static final WriteOptions OPTIONS =
      new WriteOptions(true, false, Preallocation.NONE, Optional.empty(), false);

  private Overwriting() {}
}
