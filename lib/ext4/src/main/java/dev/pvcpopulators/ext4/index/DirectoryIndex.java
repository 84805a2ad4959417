package dev.pvcpopulators.ext4.index;

import java.security.SecureRandom;

/// A hash table for the entries of one directory, from the hash of a name to the position of the
/// entry. It uses open addressing and 8 bytes per slot. The table contains no names; the caller
/// must compare the name that it looks for with the names in the directory's blocks.
///
/// The slot of a hash depends on a random number of this process, so that an attacker cannot choose
/// names with different hashes and the same slot. The random number does not influence which blocks
/// the caller reads: the caller reads only blocks that contain an entry with the same hash.
///
/// | Bits of a slot | Meaning                          |
/// |---------------:|----------------------------------|
/// |            0–9 | offset in block, in 4-byte units |
/// |          10–31 | block, from the directory's first|
/// |          32–63 | hash of the name                 |
public final class DirectoryIndex {
  public static final int NONE = -1;

  /// The maximum number of blocks of a directory.
  public static final int MOST_BLOCKS = 1 << 22;

  private static final long FACTOR = new SecureRandom().nextLong() | 1;
  private static final int OFFSET_BITS = 10;
  private static final int OFFSET_MASK = (1 << OFFSET_BITS) - 1;
  private static final long PLACE_MASK = 0xffff_ffffL;
  private static final int LEAST_SLOTS = 16;

  private long[] slots = new long[LEAST_SLOTS];
  private int count;

  /// Adds an entry.
  public void add(int hash, int block, int offset) {
    if (count >= slots.length / 4 * 3) {
      grow();
    }
    insert(
        ((long) hash << Integer.SIZE) | ((long) block << OFFSET_BITS) | (offset / Integer.BYTES));
    count++;
  }

  private void insert(long slot) {
    int at = home(slot);
    while (slots[at] != 0) {
      at = (at + 1) & (slots.length - 1);
    }
    slots[at] = slot;
  }

  private void grow() {
    long[] smaller = slots;
    slots = new long[smaller.length * 2];
    for (long slot : smaller) {
      if (slot != 0) {
        insert(slot);
      }
    }
  }

  private int home(long slot) {
    return home((int) (slot >>> Integer.SIZE));
  }

  private int home(int hash) {
    return (int) ((hash * FACTOR) >>> Integer.SIZE) & (slots.length - 1);
  }

  /// Returns the slot of the first entry with the given hash, in the order of the entries'
  /// positions; [#NONE] if there is no such entry.
  public int first(int hash) {
    return following(hash, -1);
  }

  /// Returns the slot of the next entry with the same hash, in the order of the entries' positions;
  /// [#NONE] if there is no such entry.
  public int next(int slot, int hash) {
    return following(hash, slots[slot] & PLACE_MASK);
  }

  /// Returns the slot of the next entry with the given hash after a position. The entries are
  /// ordered by position and not by slot. The slots depend on the random number of this process.
  /// With an order by slot, two processes could read the same blocks in different orders.
  private int following(int hash, long after) {
    int nearest = NONE;
    for (int at = home(hash); slots[at] != 0; at = (at + 1) & (slots.length - 1)) {
      long place = slots[at] & PLACE_MASK;
      boolean ofHash = (int) (slots[at] >>> Integer.SIZE) == hash;
      if (ofHash && place > after && (nearest == NONE || place < (slots[nearest] & PLACE_MASK))) {
        nearest = at;
      }
    }
    return nearest;
  }

  public int block(int slot) {
    return ((int) slots[slot]) >>> OFFSET_BITS;
  }

  public int offset(int slot) {
    return ((int) slots[slot] & OFFSET_MASK) * Integer.BYTES;
  }

  /// Removes the entry with the given hash and position, if it is in the index.
  public void remove(int hash, int block, int offset) {
    for (int slot = first(hash); slot != NONE; slot = next(slot, hash)) {
      if (block(slot) == block && offset(slot) == offset) {
        clear(slot);
        count--;
        return;
      }
    }
  }

  /// Empties a slot. Then moves entries of later slots into empty slots, so that each search still
  /// finds its entries.
  private void clear(int slot) {
    int mask = slots.length - 1;
    int hole = slot;
    for (int at = (hole + 1) & mask; slots[at] != 0; at = (at + 1) & mask) {
      int distanceFromHome = (at - home(slots[at])) & mask;
      if (distanceFromHome >= ((at - hole) & mask)) {
        slots[hole] = slots[at];
        hole = at;
      }
    }
    slots[hole] = 0;
  }

  /// Returns the memory use in bytes.
  public long memory() {
    return (long) slots.length * Long.BYTES;
  }
}
