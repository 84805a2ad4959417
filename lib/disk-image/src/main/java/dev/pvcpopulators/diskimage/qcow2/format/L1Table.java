package dev.pvcpopulators.diskimage.qcow2.format;

import dev.pvcpopulators.diskimage.MalformedImageException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/// The L1 table of one image (QEMU docs/interop/qcow2, "Cluster mapping"): the offset of the L2
/// table for each guest range.
///
/// The entries are stored in pages. A page takes memory only after an offset other than 0 was set
/// in it, so that a large, sparse disk needs little memory.
public final class L1Table {
  /// Length of a page in the file, in bytes.
  public static final int PAGE_LENGTH = 4096;

  private static final int PAGE_ENTRIES = PAGE_LENGTH / Long.BYTES;
  private static final long[] NONE = new long[0];

  private final int entries;
  private final long[][] pages;

  /// Creates a table of zeros.
  ///
  /// @param entries number of entries
  public L1Table(int entries) {
    this.entries = entries;
    this.pages = new long[(entries + PAGE_ENTRIES - 1) / PAGE_ENTRIES][];
    Arrays.fill(pages, NONE);
  }

  /// Reads the L1 table of a file, without the entries that map VM state.
  ///
  /// @param scratch native memory, at least one page
  /// @param budget the limit against which the table's memory is counted
  /// @throws MalformedImageException at the first invalid entry, or if the file ends inside the
  ///   table
  /// @throws dev.pvcpopulators.diskimage.UnsupportedFeatureException if the budget is exceeded
  public static L1Table read(
      HostBytes file, Qcow2Header header, MemorySegment scratch, TableBudget budget)
      throws IOException {
    L1Table table = new L1Table(header.l1EntriesOfDisk());
    long length = (long) table.entries * Long.BYTES;
    for (long at = 0; at < length; at += PAGE_LENGTH) {
      MemorySegment page = scratch.asSlice(0, Math.min(PAGE_LENGTH, length - at));
      long offset = header.l1Offset() + at;
      long read = file.read(offset, page);
      if (read < page.byteSize()) {
        throw new MalformedImageException(
            "L1 table", header.l1Offset(), "the file ends inside it, at byte " + (offset + read));
      }
      for (int i = 0; i < page.byteSize(); i += Long.BYTES) {
        L1Entry entry = new L1Entry(page.get(Qcow2Format.WORD, i));
        if (entry.raw() != 0) {
          check(entry, offset + i, header.clusterSize());
          budget.take(table.set((int) ((at + i) / Long.BYTES), entry.tableOffset()));
        }
      }
    }
    return table;
  }

  private static void check(L1Entry entry, long at, int clusterSize)
      throws MalformedImageException {
    long table = entry.tableOffset();
    if (entry.reservedBitsSet()
        || table % clusterSize != 0
        || table >= Qcow2Format.MAX_HOST_OFFSET) {
      throw new MalformedImageException(
          "L1 table entry",
          at,
          "an L2 table lies at a cluster below 1 PiB and reserved bits are 0, found 0x"
              + Long.toHexString(entry.raw()));
    }
  }

  public int entries() {
    return entries;
  }

  /// Returns the L2 table's offset in bytes from the beginning of the file; 0 = no table.
  public long get(int index) {
    long[] page = pages[index / PAGE_ENTRIES];
    return page.length == 0 ? 0 : page[index % PAGE_ENTRIES];
  }

  /// Sets the offset of an L2 table.
  ///
  /// @param tableOffset bytes from the beginning of the file
  /// @return bytes of memory that were allocated
  public int set(int index, long tableOffset) {
    int number = index / PAGE_ENTRIES;
    int taken = 0;
    if (tableOffset != 0 && pages[number].length == 0) {
      pages[number] = new long[PAGE_ENTRIES];
      taken = PAGE_LENGTH;
    }
    if (pages[number].length != 0) {
      pages[number][index % PAGE_ENTRIES] = tableOffset;
    }
    return taken;
  }

  /// Returns the first index at or after `index` that has a table, or the number of entries if
  /// there is none.
  public int next(int index) {
    int at = index;
    while (at < entries) {
      if (pages[at / PAGE_ENTRIES].length == 0) {
        at = (at / PAGE_ENTRIES + 1) * PAGE_ENTRIES;
      } else if (get(at) == 0) {
        at++;
      } else {
        return at;
      }
    }
    return entries;
  }

  public int pages() {
    return pages.length;
  }

  /// Encodes a page in the form that is stored in the file.
  ///
  /// @param target receives the page; if the table ends inside the page, the rest becomes 0
  /// @return false if no offset other than 0 was ever set in the page; in this case, `target` is
  ///   unchanged
  public boolean encode(int page, MemorySegment target) {
    if (pages[page].length == 0) {
      return false;
    }
    for (int i = 0; i < PAGE_ENTRIES; i++) {
      long offset = pages[page][i];
      target.setAtIndex(Qcow2Format.WORD, i, offset == 0 ? 0 : L1Entry.of(offset).raw());
    }
    return true;
  }
}
