package dev.pvcpopulators.diskimage.qcow2.format;

/// The compression of an image's clusters (header byte 104, "compression_type").
public enum ClusterCompression {
  /// Raw deflate (RFC 1951) with a window of 4 KiB.
  ZLIB,
  /// Zstandard frames (RFC 8878).
  ZSTD;

  /// Returns the value of this compression in header byte 104.
  public byte type() {
    return switch (this) {
      case ZLIB -> 0;
      case ZSTD -> 1;
    };
  }
}
