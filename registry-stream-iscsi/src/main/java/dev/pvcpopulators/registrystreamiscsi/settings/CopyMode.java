package dev.pvcpopulators.registrystreamiscsi.settings;

/// The destination of a LUN's writes. All modes but [#NONE] are for virtual machines with a disk
/// that is deleted with them.
public enum CopyMode {
  /// Writes go to the image's own copy in this service; no second writable LUN may show it. With
  /// `read-shared` there are no writes: the LUN is the unchanged image.
  NONE,
  /// Writes go to an overlay, which holds only written data.
  COPY_ON_WRITE,
  /// Writes go to an overlay, which also keeps data that was read.
  COPY_ON_READ,
  /// Writes go to a full copy of the image; once the copy is complete, the image is no longer used.
  CLONE
}
