package dev.pvcpopulators.iscsitarget.medium;

import java.io.IOException;
import java.nio.file.Path;

/// A block map is not one, is torn, or belongs to another disk than the one it was opened for.
public final class MapRefusedException extends IOException {
  private static final long serialVersionUID = 1L;

  MapRefusedException(Path map, String reason) {
    super("The block map " + map + " cannot be used: " + reason);
  }
}
