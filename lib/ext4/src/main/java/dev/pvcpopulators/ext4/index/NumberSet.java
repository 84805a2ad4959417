package dev.pvcpopulators.ext4.index;

/// A set of non-zero numbers. In a large set without removals, each number takes 11 to 22 bytes.
public final class NumberSet {
  private static final int LEAST_SLOTS = 1024;
  private static final long MIX = 0x9e37_79b9_7f4a_7c15L;

  /// The slots of a hash table. An unused slot contains 0.
  private long[] slots = new long[LEAST_SLOTS];

  private int count;

  public boolean contains(long key) {
    return slots[find(key)] != 0;
  }

  public void add(long key) {
    if (count >= slots.length / 4 * 3) {
      grow();
    }
    int slot = find(key);
    if (slots[slot] == 0) {
      slots[slot] = key;
      count++;
    }
  }

  /// Removes a number if it is in the set.
  public void remove(long key) {
    int hole = find(key);
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

  /// Returns the slot of a number. If the number is not in the set, returns the slot in which to
  /// store the number.
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
