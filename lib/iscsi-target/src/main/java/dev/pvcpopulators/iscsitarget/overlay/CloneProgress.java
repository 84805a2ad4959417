package dev.pvcpopulators.iscsitarget.overlay;

/// Receives the progress of [OverlayMedium#cloneRest], which copies the missing blocks of an
/// overlay from its base.
@FunctionalInterface
public interface CloneProgress {
  /// Called after each copied piece, on the thread that copies.
  ///
  /// @param done an offset on the disk in bytes: the overlay has all blocks before this offset
  /// @param total the length of the disk in bytes
  void cloned(long done, long total);
}
