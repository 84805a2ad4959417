package dev.pvcpopulators.diskimage.volume;

import java.io.IOException;
import java.nio.file.Path;

/// Thrown in four cases: the volume already has a disk, and overwriting is not allowed; another
/// process creates a disk while this disk is written, and overwriting is not allowed; the volume
/// has a `disk.img` that is neither a regular file nor a symbolic link; or another process replaces
/// `disk.img` directly after this disk got that name.
public final class VolumeOccupiedException extends IOException {
  private static final long serialVersionUID = 1L;

  private final boolean replaceable;

  private VolumeOccupiedException(Path volume, String reason, boolean replaceable) {
    super("Cannot write a disk to " + volume + ": " + reason);
    this.replaceable = replaceable;
  }

  /// Creates an exception for a disk that [WriteOptions#overwrite] would replace.
  ///
  /// @param found a clause that says what the volume contains, for the message
  static VolumeOccupiedException notAllowed(Path volume, String found) {
    return new VolumeOccupiedException(volume, found + ", and overwriting is not allowed", true);
  }

  /// Creates an exception for a failure that [WriteOptions#overwrite] would not prevent.
  static VolumeOccupiedException blocked(Path volume, String reason) {
    return new VolumeOccupiedException(volume, reason, false);
  }

  /// Returns whether the same request with permission to overwrite would replace the disk.
  public boolean replaceable() {
    return replaceable;
  }
}
