package dev.pvcpopulators.diskimage.qcow2.format;

/// First word of an L2 table entry, big-endian (QEMU docs/interop/qcow2, "Cluster mapping").
///
/// | Bits  | Standard cluster                                           |
/// |------:|------------------------------------------------------------|
/// | 0     | reads as zeros (reserved in version 2 and with subclusters) |
/// | 1–8   | reserved, 0                                                |
/// | 9–55  | host cluster offset; 0 = unallocated                       |
/// | 56–61 | reserved, 0                                                |
/// | 62    | compressed: bits 0–61 are a [CompressedDescriptor]         |
/// | 63    | the cluster's refcount is one; ignored by the reader       |
///
/// Bit 63 may be 1 only in the entry of a standard cluster that has a host cluster, with or without
/// the zero flag (bit 0).
public record L2Entry(long raw) {
  /// An unallocated cluster; the backing file's content is visible.
  public static final L2Entry UNALLOCATED = new L2Entry(0);

  /// A cluster that reads as zeros, without a host cluster.
  public static final L2Entry ZEROS = new L2Entry(1);

  private static final long COPIED = 1L << 63;
  private static final long COMPRESSED = 1L << 62;
  private static final long COMPRESSED_MASK = COMPRESSED - 1;
  private static final long ZERO = 1;
  private static final long RESERVED = 0x3f00_0000_0000_01feL;

  /// Creates an entry for a data cluster whose refcount is one.
  ///
  /// @param hostOffset a multiple of the cluster size
  public static L2Entry standard(long hostOffset) {
    return new L2Entry(COPIED | hostOffset);
  }

  /// Creates an entry for a compressed cluster.
  public static L2Entry compressed(CompressedDescriptor descriptor) {
    return new L2Entry(COMPRESSED | descriptor.raw());
  }

  /// Returns this entry with the zero flag set and the same host cluster; for standard clusters
  /// only.
  public L2Entry withZeros() {
    return new L2Entry(raw | ZERO);
  }

  /// Returns whether the cluster is unallocated, so that the backing file's content is visible.
  public boolean unallocated() {
    return withoutCopied() == 0;
  }

  /// Returns the word without bit 63.
  public long withoutCopied() {
    return raw & ~COPIED;
  }

  public boolean compressed() {
    return (raw & COMPRESSED) != 0;
  }

  public CompressedDescriptor descriptor() {
    return new CompressedDescriptor(raw & COMPRESSED_MASK);
  }

  /// Returns whether the zero flag is set, so that the cluster reads as zeros; for standard
  /// clusters only.
  public boolean readsAsZeros() {
    return (raw & ZERO) != 0;
  }

  /// Returns whether a reserved bit is set; for standard clusters only.
  public boolean reservedBitsSet() {
    return (raw & RESERVED) != 0;
  }

  /// Returns whether there is a host cluster; for standard clusters only.
  public boolean allocated() {
    return hostOffset() != 0;
  }

  /// Returns whether this is the entry of a standard cluster that has a host cluster and does not
  /// read as zeros.
  public boolean data() {
    return !compressed() && allocated() && !readsAsZeros();
  }

  /// Returns the host offset in bytes from the beginning of the file; for standard clusters only.
  public long hostOffset() {
    return raw & Qcow2Format.OFFSET_MASK;
  }
}
