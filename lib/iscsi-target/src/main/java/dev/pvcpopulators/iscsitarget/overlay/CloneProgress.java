package dev.pvcpopulators.iscsitarget.overlay;

/// Receives the progress of a clone after each cloned piece.
@FunctionalInterface
public interface CloneProgress {
  /// Reports the progress of a clone, on the thread that clones.
  ///
  /// @param done the number of bytes from the beginning of the disk that no longer need the base
  /// @param total the length of the disk in bytes
  void cloned(long done, long total);
}
