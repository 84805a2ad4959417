package dev.pvcpopulators.diskimage.volume;

import java.io.IOException;
import java.nio.file.Path;

/// Thrown if the volume already has a disk that is not to be overwritten, or if another process
/// gives it one before this disk is published.
public final class VolumeOccupiedException extends IOException {
  private static final long serialVersionUID = 1L;

  VolumeOccupiedException(Path volume, String found) {
    super("Cannot write a disk to " + volume + ": " + found + ", and overwriting is not allowed");
  }
}
