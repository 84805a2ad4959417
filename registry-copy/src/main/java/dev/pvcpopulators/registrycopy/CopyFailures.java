package dev.pvcpopulators.registrycopy;

import dev.pvcpopulators.kit.disk.DiskVolume;
import dev.pvcpopulators.kit.source.SourceFailures;
import dev.pvcpopulators.volume.Failure;
import java.io.IOException;

/// What a client learns of an exception on the way from the registry to the volume.
final class CopyFailures {
  private CopyFailures() {}

  static Failure of(IOException e, CopyRequest asked, DiskVolume volume) {
    String action = "Reading " + asked.reference();
    return SourceFailures.of(e, action).orElseGet(() -> volume.failureOf(e, action));
  }
}
