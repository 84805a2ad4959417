package dev.pvcpopulators.diskimage.qcow2.format;

/// Bits 0–61 of the L2 entry of a compressed cluster (QEMU docs/interop/qcow2, "Compressed Clusters
/// Descriptor"), with x = 62 - (cluster_bits - 8).
///
/// | Bits       | Meaning                                                       |
/// |-----------:|---------------------------------------------------------------|
/// | 0 to (x-1) | host offset in bytes; need not be aligned                            |
/// | x to 61    | number of 512-byte sectors after the first sector of the data  |
public record CompressedDescriptor(long raw) {
  /// Creates a descriptor.
  ///
  /// @param length bytes of the data, at least 1 and less than a cluster
  public static CompressedDescriptor of(long hostOffset, int length, int clusterBits) {
    long additional =
        (hostOffset + length - 1) / Qcow2Format.SECTOR - hostOffset / Qcow2Format.SECTOR;
    return new CompressedDescriptor((additional << offsetBits(clusterBits)) | hostOffset);
  }

  public long hostOffset(int clusterBits) {
    return raw & ((1L << offsetBits(clusterBits)) - 1);
  }

  /// Returns the number of bytes from the beginning of the data to the end of its last sector; the
  /// data itself, and the file, may end earlier.
  public int length(int clusterBits) {
    long sectors = (raw >>> offsetBits(clusterBits)) + 1;
    return Math.toIntExact(
        sectors * Qcow2Format.SECTOR - (hostOffset(clusterBits) & (Qcow2Format.SECTOR - 1)));
  }

  /// Returns the largest length in bytes that a descriptor can express: two clusters.
  public static int maxLength(int clusterBits) {
    return 2 << clusterBits;
  }

  private static int offsetBits(int clusterBits) {
    return 62 - (clusterBits - 8);
  }
}
