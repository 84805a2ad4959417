package dev.pvcpopulators.registrystreamiscsi.settings;

/// The destination of a LUN's writes. All modes except [#NONE] are for disks that are deleted
/// together with their virtual machine.
public enum CopyMode {
  /// Writes go to the LUN's own files; only one LUN of an image may be writable in this mode. With
  /// the access mode `read-shared` there are no writes: the LUN is the unchanged image, unless the
  /// LUN was written to before its access mode changed.
  NONE,
  /// Writes go to an overlay, which holds only blocks that were written.
  COPY_ON_WRITE,
  /// Writes go to an overlay, which also keeps data that was read.
  COPY_ON_READ,
  /// Writes go to a full copy of the image; once the copy is complete, the image is no longer used.
  CLONE
}
