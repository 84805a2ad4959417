package dev.pvcpopulators.iscsitarget.medium;

import java.io.IOException;
import java.nio.file.Path;

/// The file is not a block map, is damaged, or belongs to another disk.
public final class MapRefusedException extends IOException {
  private static final long serialVersionUID = 1L;

  public MapRefusedException(Path map, String reason) {
    super("The block map " + map + " cannot be used: " + reason);
  }
}
