package dev.pvcpopulators.diskimage.qcow2;

/// First word of an L2 table entry, big-endian (QEMU docs/interop/qcow2, "Cluster mapping").
///
/// | Bits  | Standard cluster                                           |
/// |------:|------------------------------------------------------------|
/// | 0     | reads as zeros (reserved in version 2 and with subclusters) |
/// | 1–8   | reserved, 0                                                |
/// | 9–55  | host cluster offset; 0 = unallocated                       |
/// | 56–61 | reserved, 0                                                |
/// | 62    | compressed: bits 0–61 are a [CompressedDescriptor]         |
/// | 63    | the cluster's refcount is one; not needed to read          |
record L2Entry(long raw) {
  private static final long COMPRESSED = 1L << 62;
  private static final long COMPRESSED_MASK = COMPRESSED - 1;
  private static final long ZERO = 1;
  private static final long RESERVED = 0x3f00_0000_0000_01feL;

  boolean compressed() {
    return (raw & COMPRESSED) != 0;
  }

  CompressedDescriptor descriptor() {
    return new CompressedDescriptor(raw & COMPRESSED_MASK);
  }

  /// Of a standard cluster only.
  boolean readsAsZeros() {
    return (raw & ZERO) != 0;
  }

  /// Of a standard cluster only.
  boolean reservedBitsSet() {
    return (raw & RESERVED) != 0;
  }

  /// Of a standard cluster only.
  boolean allocated() {
    return hostOffset() != 0;
  }

  /// Of a standard cluster only: bytes from the beginning of the file.
  long hostOffset() {
    return raw & Qcow2Format.OFFSET_MASK;
  }
}
