package dev.pvcpopulators.diskimage.qcow2.read;

import dev.pvcpopulators.diskimage.qcow2.format.Qcow2Header;

/// A table of 8-byte entries. The offset of the table in the source is known before the table
/// arrives. The entries are read one by one as they arrive, so that the table takes no memory.
final class PassingTable {
  private final long offset;
  private final int count;
  private int index;

  /// Creates a table that is positioned at its first entry.
  ///
  /// @param offset bytes from the beginning of the file
  PassingTable(long offset, int count) {
    this.offset = offset;
    this.count = count;
  }

  static PassingTable l1(Qcow2Header header) {
    return new PassingTable(header.l1Offset(), header.l1EntriesOfDisk());
  }

  static PassingTable refcounts(Qcow2Header header) {
    long length = (long) header.refcountClusters() << header.clusterBits();
    return new PassingTable(header.refcountOffset(), (int) (length / Long.BYTES));
  }

  long length() {
    return (long) count * Long.BYTES;
  }

  boolean passed() {
    return index == count;
  }

  /// Returns the index of the next entry.
  int index() {
    return index;
  }

  /// Returns the host offset of the next entry, or `Long.MAX_VALUE` after the last.
  long nextOffset() {
    return passed() ? Long.MAX_VALUE : offset + (long) index * Long.BYTES;
  }

  /// Returns true if there is a next entry and it ends at or before `end`.
  boolean arrived(long end) {
    return !passed() && nextOffset() <= end - Long.BYTES;
  }

  void advance() {
    index++;
  }
}
