package dev.pvcpopulators.httpupload;

/// The kind of content that a client uploads.
enum Content {
  /// A disk image to write to the volume.
  DISK,
  /// A tar archive with files to unpack into the volume.
  ARCHIVE
}
