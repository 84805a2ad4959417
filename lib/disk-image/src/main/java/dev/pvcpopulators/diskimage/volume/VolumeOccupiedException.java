package dev.pvcpopulators.diskimage.volume;

import java.io.IOException;
import java.nio.file.Path;

/// The volume has a disk already, and the options do not allow to overwrite it.
public final class VolumeOccupiedException extends IOException {
  private static final long serialVersionUID = 1L;

  VolumeOccupiedException(Path volume, String found) {
    super("Cannot write a disk to " + volume + ": " + found + ", and overwriting is not allowed");
  }
}
