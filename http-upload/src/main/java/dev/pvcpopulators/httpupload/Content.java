package dev.pvcpopulators.httpupload;

/// The kind of content that a client uploads.
enum Content {
  /// The disk of the volume.
  DISK,
  /// A tar archive with files to unpack into the volume.
  ARCHIVE
}
