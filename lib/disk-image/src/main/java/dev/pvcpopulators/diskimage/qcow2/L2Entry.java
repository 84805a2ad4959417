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
///
/// Bit 63 is for standard clusters, with the zero flag or without; the others have 0 there.
record L2Entry(long raw) {
  /// What is below shows.
  static final L2Entry UNALLOCATED = new L2Entry(0);

  /// Reads as zeros, without a host cluster.
  static final L2Entry ZEROS = new L2Entry(1);

  private static final long COPIED = 1L << 63;
  private static final long COMPRESSED = 1L << 62;
  private static final long COMPRESSED_MASK = COMPRESSED - 1;
  private static final long ZERO = 1;
  private static final long RESERVED = 0x3f00_0000_0000_01feL;

  /// A cluster of data that nothing else refers to.
  ///
  /// @param hostOffset at a cluster
  static L2Entry standard(long hostOffset) {
    return new L2Entry(COPIED | hostOffset);
  }

  /// A cluster that is packed.
  static L2Entry compressed(CompressedDescriptor descriptor) {
    return new L2Entry(COMPRESSED | descriptor.raw());
  }

  /// Of a standard cluster only: reads as zeros, and keeps its host cluster, where it has one.
  L2Entry withZeros() {
    return new L2Entry(raw | ZERO);
  }

  /// Says nothing, so that what is below shows.
  boolean unallocated() {
    return withoutCopied() == 0;
  }

  /// The word without bit 63.
  long withoutCopied() {
    return raw & ~COPIED;
  }

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

  /// A standard cluster whose host cluster is what the guest reads.
  boolean data() {
    return !compressed() && allocated() && !readsAsZeros();
  }

  /// Of a standard cluster only: bytes from the beginning of the file.
  long hostOffset() {
    return raw & Qcow2Format.OFFSET_MASK;
  }
}
