package dev.pvcpopulators.diskimage.qcow2.read;

import java.io.IOException;
import java.util.Arrays;
import java.util.BitSet;

/// The L2 tables that the active L1 table names, in source order.
///
/// Each L2 table takes one `long`: the upper bits store the ordinal of its host cluster, and the
/// lower bits store its L1 index. The array of these values grows as tables are added. It takes at
/// most 32 MiB, for the largest L1 table (4 Mi entries).
final class TableIndex {
  /// Number of bits of an index into the largest L1 table, which has 32 MiB of 8-byte entries.
  private static final int INDEX_BITS = 22;

  private static final long INDEX_MASK = (1L << INDEX_BITS) - 1;
  private static final int INITIAL_CAPACITY = 64;

  private final int clusterBits;
  private final int maxTables;
  private final BitSet deferred = new BitSet();
  private long[] tables;
  private int count;
  private int next;

  /// Creates an empty index.
  ///
  /// @param maxTables number of L1 entries that map the disk, already checked against QEMU's limit
  TableIndex(int clusterBits, int maxTables) {
    this.clusterBits = clusterBits;
    this.maxTables = maxTables;
    this.tables = new long[Math.min(INITIAL_CAPACITY, maxTables)];
  }

  /// Adds a table.
  ///
  /// @param hostOffset the host offset of the table, already checked: aligned, below
  ///   `Qcow2Format.MAX_HOST_OFFSET`
  void add(int l1Index, long hostOffset) {
    if (count == tables.length) {
      tables = Arrays.copyOf(tables, (int) Math.min(2L * count, maxTables));
    }
    tables[count++] = ((hostOffset >>> clusterBits) << INDEX_BITS) | l1Index;
  }

  /// Sorts the tables and claims their clusters; called once, after all tables have been added.
  void seal(HostClaims claims) throws IOException {
    Arrays.sort(tables, 0, count);
    for (int i = 0; i < count; i++) {
      claims.claim("L2 table", hostOffset(i), 1L << clusterBits);
    }
  }

  /// Returns the host offset of the next table in source order, or `Long.MAX_VALUE` after the last
  /// table.
  long nextOffset() {
    return next < count ? hostOffset(next) : Long.MAX_VALUE;
  }

  int nextL1Index() {
    return l1Index(next);
  }

  void advance() {
    next++;
  }

  /// Defers the next table. If there is staging, the table is processed at the end of the source,
  /// otherwise in the next pass over the source.
  void deferNext() {
    deferred.set(next);
  }

  /// Forgets the deferred tables; called after all of them were processed at the end of the source.
  void deferredFollowed() {
    deferred.clear();
  }

  /// Starts another pass over the source. In this pass, only the deferred tables are processed.
  void restart() {
    int left = 0;
    for (int i = nextDeferred(0); i >= 0; i = nextDeferred(i + 1)) {
      tables[left++] = tables[i];
    }
    deferred.clear();
    count = left;
    next = 0;
  }

  /// Returns true if every table has been processed and no table is deferred.
  boolean allFollowed() {
    return next == count && deferred.isEmpty();
  }

  /// Returns the index of the first deferred table at or after index `table`, or -1 if there is
  /// none.
  int nextDeferred(int table) {
    return deferred.nextSetBit(table);
  }

  long hostOffset(int table) {
    return (tables[table] >>> INDEX_BITS) << clusterBits;
  }

  int l1Index(int table) {
    return (int) (tables[table] & INDEX_MASK);
  }
}
