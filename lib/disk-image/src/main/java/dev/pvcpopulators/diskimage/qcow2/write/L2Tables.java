package dev.pvcpopulators.diskimage.qcow2.write;

import dev.pvcpopulators.diskimage.qcow2.format.L1Table;
import dev.pvcpopulators.diskimage.qcow2.format.L2Entry;
import dev.pvcpopulators.diskimage.qcow2.format.Qcow2Format;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The L2 tables of a file that is being written. Recently used tables are in memory, up to a
/// limit; the others are stored in the file and are read again on access. Which table is evicted
/// from memory depends only on the sequence of calls.
final class L2Tables implements AutoCloseable {
  /// Maximum memory in bytes: the tables for 4 GiB of data in clusters of 4 KiB.
  private static final int MEMORY = 8 << 20;

  private static final int MIN_TABLES = 4;

  /// Receives each table that is stored in the file.
  @FunctionalInterface
  interface Visitor {
    void table(long tableOffset, long[] entries) throws IOException;
  }

  private static final class Table {
    final int index;
    final long[] entries;
    long hostOffset;
    boolean dirty;

    Table(int index, long[] entries, long hostOffset) {
      this.index = index;
      this.entries = entries;
      this.hostOffset = hostOffset;
    }
  }

  private final HostFile host;
  private final L1Table l1;
  private final int entryBits;
  private final int maxTables;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment scratch;
  private final Map<Integer, Table> tables = new LinkedHashMap<>(16, 0.75f, true);
  private @Nullable Table last;

  /// Creates empty tables.
  ///
  /// @param host the file; the caller closes it
  /// @param l1 updated with the offsets of the tables
  L2Tables(HostFile host, L1Table l1, int clusterBits) {
    this.host = host;
    this.l1 = l1;
    this.entryBits = clusterBits - Integer.numberOfTrailingZeros(Long.BYTES);
    this.maxTables = Math.max(MIN_TABLES, MEMORY >> clusterBits);
    this.scratch = arena.allocate(1L << clusterBits, Long.BYTES);
  }

  /// Returns the entry of a guest cluster.
  ///
  /// @param cluster ordinal of a guest cluster
  L2Entry get(long cluster) throws IOException {
    Table table = find(index(cluster));
    return table == null ? L2Entry.UNALLOCATED : new L2Entry(table.entries[entry(cluster)]);
  }

  void put(long cluster, L2Entry entry) throws IOException {
    Table table = obtain(index(cluster));
    table.entries[entry(cluster)] = entry.raw();
    table.dirty = true;
  }

  /// Maps consecutive guest clusters to consecutive host clusters.
  void putRun(long cluster, long hostOffset, long count) throws IOException {
    int clusterBits = entryBits + Integer.numberOfTrailingZeros(Long.BYTES);
    for (long i = 0; i < count; i++) {
      put(cluster + i, L2Entry.standard(hostOffset + (i << clusterBits)));
    }
  }

  private int index(long cluster) {
    return (int) (cluster >>> entryBits);
  }

  private int entry(long cluster) {
    return (int) cluster & ((1 << entryBits) - 1);
  }

  private @Nullable Table find(int index) throws IOException {
    Table table = last;
    if (table != null && table.index == index) {
      return table;
    }
    table = tables.get(index);
    if (table == null && l1.get(index) != 0) {
      table = keep(load(index));
    }
    if (table != null) {
      last = table;
    }
    return table;
  }

  private Table obtain(int index) throws IOException {
    Table table = find(index);
    if (table == null) {
      table = keep(new Table(index, new long[1 << entryBits], 0));
      last = table;
    }
    return table;
  }

  private Table keep(Table table) throws IOException {
    if (tables.size() == maxTables) {
      Iterator<Table> leastRecentlyUsed = tables.values().iterator();
      store(leastRecentlyUsed.next());
      leastRecentlyUsed.remove();
    }
    tables.put(table.index, table);
    return table;
  }

  private Table load(int index) throws IOException {
    long offset = l1.get(index);
    if (host.read(offset, scratch) < scratch.byteSize()) {
      throw new IOException("The L2 table that was written at byte " + offset + " is gone");
    }
    return new Table(index, scratch.toArray(Qcow2Format.WORD), offset);
  }

  private void store(Table table) throws IOException {
    if (!table.dirty) {
      return;
    }
    long length = scratch.byteSize();
    MemorySegment.copy(table.entries, 0, scratch, Qcow2Format.WORD, 0, table.entries.length);
    if (table.hostOffset == 0) {
      table.hostOffset = host.append(scratch, 0, length);
      l1.set(table.index, table.hostOffset);
    } else {
      host.replace(table.hostOffset, scratch, 0, length);
    }
    table.dirty = false;
  }

  /// Writes to the file every changed table that is in memory, in guest order.
  void storeAll() throws IOException {
    List<Table> inOrder = new ArrayList<>(tables.values());
    inOrder.sort(Comparator.comparingInt(table -> table.index));
    for (Table table : inOrder) {
      store(table);
    }
  }

  /// Visits all tables in guest order; call only after [#storeAll].
  void visit(Visitor visitor) throws IOException {
    for (int i = l1.next(0); i < l1.entries(); i = l1.next(i + 1)) {
      Table kept = tables.get(i);
      Table table = kept == null ? load(i) : kept;
      visitor.table(table.hostOffset, table.entries);
    }
  }

  @Override
  public void close() {
    arena.close();
  }
}
