package dev.pvcpopulators.iscsitarget.overlay;

/// What an overlay copies from its base.
public enum CopyMode {
  /// The rest of blocks that are written in part.
  COPY_ON_WRITE,

  /// Also what is read, so that it is read from the base once.
  COPY_ON_READ
}
