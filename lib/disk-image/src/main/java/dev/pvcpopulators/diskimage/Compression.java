package dev.pvcpopulators.diskimage;

/// The stream compressions that are undone on the way, known by their magic numbers.
public enum Compression {
  /// RFC 1952.
  GZIP,
  /// RFC 8878.
  ZSTD,
  /// The .xz file format, version 1.2.
  XZ,
  /// bzip2.
  BZIP2,
  /// The LZ4 frame format, version 1.6.
  LZ4;
}
