package dev.pvcpopulators.diskimage.qcow2.format;

/// L1 table entry, big-endian (QEMU docs/interop/qcow2, "Cluster mapping").
///
/// | Bits  | Meaning                                                       |
/// |------:|---------------------------------------------------------------|
/// | 0–8   | reserved, 0                                                   |
/// | 9–55  | host offset of the L2 table; 0 = guest range is unallocated   |
/// | 56–62 | reserved, 0                                                   |
/// | 63    | the L2 table's refcount is one; ignored by the reader         |
public record L1Entry(long raw) {
  private static final long RESERVED = 0x7f00_0000_0000_01ffL;
  private static final long COPIED = 1L << 63;

  /// Creates an entry for an L2 table whose refcount is one.
  ///
  /// @param tableOffset bytes from the beginning of the file, a multiple of the cluster size
  public static L1Entry of(long tableOffset) {
    return new L1Entry(COPIED | tableOffset);
  }

  public boolean reservedBitsSet() {
    return (raw & RESERVED) != 0;
  }

  public boolean allocated() {
    return tableOffset() != 0;
  }

  public long tableOffset() {
    return raw & Qcow2Format.OFFSET_MASK;
  }
}
