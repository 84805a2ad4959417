package dev.pvcpopulators.iscsitarget.medium;

/// Is told how far a clone has come, after each piece.
@FunctionalInterface
public interface CloneProgress {
  /// Called by the thread that clones.
  ///
  /// @param done bytes from the disk's beginning that need the base no more
  /// @param total bytes, the disk's length
  void cloned(long done, long total);
}
