package dev.pvcpopulators.diskimage.qcow2.format;

/// Second word of an extended L2 entry (QEMU docs/interop/qcow2, "Extended L2 Entries").
///
/// | Bits  | Meaning                                            |
/// |------:|----------------------------------------------------|
/// | 0–31  | bit n: subcluster n is allocated                   |
/// | 32–63 | bit 32 + n: subcluster n reads as zeros            |
///
/// Setting both bits of one subcluster is invalid. In the bitmap of a compressed cluster, all bits
/// are 0.
record SubclusterBitmap(long raw) {
  /// All subclusters are allocated. Also used for L2 entries that are not extended, because they
  /// have no bitmap.
  static final SubclusterBitmap WHOLE = new SubclusterBitmap(0xffff_ffffL);

  boolean contradictory() {
    return (raw & (raw >>> Qcow2Format.SUBCLUSTERS)) != 0;
  }

  public boolean empty() {
    return raw == 0;
  }

  boolean anyAllocated() {
    return (int) raw != 0;
  }

  /// Returns the index of the first allocated subcluster at or after `index`, or 32 if there is
  /// none.
  int nextAllocated(int index) {
    return index == Qcow2Format.SUBCLUSTERS
        ? index
        : Math.min(
            index + Integer.numberOfTrailingZeros((int) raw >>> index), Qcow2Format.SUBCLUSTERS);
  }

  /// Returns the index of the first subcluster at or after `index` that is not allocated, or 32 if
  /// there is none.
  int nextMissing(int index) {
    return new SubclusterBitmap(~raw).nextAllocated(index);
  }
}
