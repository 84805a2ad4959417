package dev.pvcpopulators.ext4;

/// How large a file system is, and what follows from that: fixed when the first layer is made.
///
/// Blocks of 4,096 bytes, groups of 32,768 blocks, one inode of 256 bytes for 16 KiB, 128 groups in
/// a flex group whose bitmaps and inode tables stand together at its beginning.
///
/// @param size bytes, a multiple of 1 MiB, 16 MiB to 16 TiB
public record Geometry(long size) {
  public static final long GRANULE = 1L << 20;
  public static final long MIN_SIZE = 16L << 20;
  public static final long MAX_SIZE = 16L << 40;

  public Geometry {
    if (size < MIN_SIZE || size > MAX_SIZE || size % GRANULE != 0) {
      throw new IllegalArgumentException(
          "A file system has a multiple of 1 MiB, from 16 MiB to 16 TiB, found " + size + " bytes");
    }
  }

  /// Blocks of 4,096 bytes.
  public long blockCount() {
    return size / BlockDevice.BLOCK_SIZE;
  }
}
