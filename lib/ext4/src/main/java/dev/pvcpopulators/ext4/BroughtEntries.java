package dev.pvcpopulators.ext4;

/// The entries of directories that the layer brought: 8 bytes for each, 16 at most. An entry is
/// known by its place, which it keeps as long as it exists.
final class BroughtEntries {
  private static final int OFFSET_BITS = 10;
  private static final int LEAST_SLOTS = 1024;
  private static final long MIX = 0x9e37_79b9_7f4a_7c15L;

  /// 0 for an unused slot: block 0 is the superblock's.
  private long[] slots = new long[LEAST_SLOTS];

  private int count;

  private static long key(DirectoryEntry entry) {
    return (entry.block() << OFFSET_BITS) | (entry.offset() / Integer.BYTES);
  }

  boolean contains(DirectoryEntry entry) {
    return slots[find(key(entry))] != 0;
  }

  void add(DirectoryEntry entry) {
    if (count >= slots.length / 4 * 3) {
      grow();
    }
    int slot = find(key(entry));
    if (slots[slot] == 0) {
      slots[slot] = key(entry);
      count++;
    }
  }

  /// Forgets an entry, where it is known.
  void remove(DirectoryEntry entry) {
    int hole = find(key(entry));
    if (slots[hole] == 0) {
      return;
    }
    count--;
    int mask = slots.length - 1;
    for (int at = (hole + 1) & mask; slots[at] != 0; at = (at + 1) & mask) {
      if (((at - home(slots[at])) & mask) >= ((at - hole) & mask)) {
        slots[hole] = slots[at];
        hole = at;
      }
    }
    slots[hole] = 0;
  }

  private int find(long key) {
    int at = home(key);
    while (slots[at] != 0 && slots[at] != key) {
      at = (at + 1) & (slots.length - 1);
    }
    return at;
  }

  private int home(long key) {
    return (int) ((key * MIX) >>> Integer.SIZE) & (slots.length - 1);
  }

  private void grow() {
    long[] smaller = slots;
    slots = new long[smaller.length * 2];
    for (long key : smaller) {
      if (key != 0) {
        slots[find(key)] = key;
      }
    }
  }
}
