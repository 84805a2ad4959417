package dev.pvcpopulators.httpcopy;

import dev.pvcpopulators.kit.disk.DiskVolume;
import dev.pvcpopulators.kit.source.SourceFailures;
import dev.pvcpopulators.volume.Failure;
import java.io.IOException;

/// Maps an exception between the server and the volume to the failure that a client sees.
final class CopyFailures {
  private CopyFailures() {}

  static Failure of(IOException e, CopyRequest asked, DiskVolume volume) {
    String action = "Reading " + asked.url();
    return SourceFailures.of(e, action).orElseGet(() -> volume.failureOf(e, action));
  }
}
