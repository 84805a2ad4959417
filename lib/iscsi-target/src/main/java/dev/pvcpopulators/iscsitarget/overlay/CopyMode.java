package dev.pvcpopulators.iscsitarget.overlay;

/// The data that an overlay copies from its base.
public enum CopyMode {
  /// Copies the rest of partly written blocks.
  COPY_ON_WRITE,

  /// Also copies data that is read, so that each block is read from the base once.
  COPY_ON_READ
}
