package dev.pvcpopulators.volume;

/// The volume is not the one that was meant, and nothing was done to it.
public final class VolumeChangedException extends Exception {
  private static final long serialVersionUID = 1;

  /// @param found the volume's revision
  VolumeChangedException(String found) {
    super("The volume has changed meanwhile: expected another revision, found " + found);
  }
}
