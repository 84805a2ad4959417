package dev.pvcpopulators.httpupload;

/// The purpose of the uploaded bytes.
enum Content {
  /// The disk of the volume.
  DISK,
  /// A tar archive with files to unpack into the volume.
  ARCHIVE
}
