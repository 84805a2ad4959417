package dev.pvcpopulators.registrycopy;

import dev.pvcpopulators.kit.disk.DiskVolume;
import dev.pvcpopulators.kit.source.ChosenDisk;
import dev.pvcpopulators.kit.source.SourceFailures;
import dev.pvcpopulators.volume.Failure;
import java.io.IOException;

/// Maps exceptions of registries and volumes to failures.
final class CopyFailures {
  private CopyFailures() {}

  static Failure of(IOException e, ChosenDisk asked, DiskVolume volume) {
    String action = "Reading " + asked.reference();
    return SourceFailures.of(e, action).orElseGet(() -> volume.failureOf(e, action));
  }
}
