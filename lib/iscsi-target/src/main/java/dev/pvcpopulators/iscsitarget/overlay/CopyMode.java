package dev.pvcpopulators.iscsitarget.overlay;

/// The data that an overlay copies from its base.
public enum CopyMode {
  /// Copies the rest of partly written blocks.
  COPY_ON_WRITE,

  /// Copies the rest of partly written blocks. Also copies whole blocks that are read, as long as
  /// there is room. So these blocks are not read from the base again.
  COPY_ON_READ
}
