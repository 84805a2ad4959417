package dev.pvcpopulators.iscsitarget.medium;

import java.io.IOException;
import java.nio.file.Path;

/// Thrown if a file cannot be used as the block map of a disk: the file is not a block map, is
/// damaged, or does not match the disk.
public final class MapRefusedException extends IOException {
  private static final long serialVersionUID = 1L;

  public MapRefusedException(Path map, String reason) {
    super("The block map " + map + " cannot be used: " + reason);
  }
}
