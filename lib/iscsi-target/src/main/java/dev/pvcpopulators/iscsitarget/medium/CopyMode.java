package dev.pvcpopulators.iscsitarget.medium;

/// What an overlay takes over of its base.
public enum CopyMode {
  /// What is written, and the rest of blocks that are written in part.
  COPY_ON_WRITE,

  /// What is read as well, so that it is read from the base once.
  COPY_ON_READ
}
