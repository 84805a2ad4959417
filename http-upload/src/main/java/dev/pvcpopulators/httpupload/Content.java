package dev.pvcpopulators.httpupload;

/// What the uploaded bytes are meant to become.
enum Content {
  /// The volume's disk.
  DISK,
  /// Files in the volume, out of a tar archive.
  ARCHIVE
}
