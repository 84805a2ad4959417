package dev.pvcpopulators.ext4.index;

/// A tournament tree over the blocks of a directory. Each leaf belongs to a block, and holds the
/// length of the longest name for which the block has space. The tree finds the first block with
/// enough free space.
public final class RoomTree {
  public static final int NONE = -1;

  private int leaves = 1;
  private short[] greatest = new short[2];
  private int count;

  /// Adds the next block and sets its free space, as [#set] does.
  public void add(int room) {
    if (count == leaves) {
      grow();
    }
    set(count++, room);
  }

  private void grow() {
    short[] wider = new short[4 * leaves];
    System.arraycopy(greatest, leaves, wider, 2 * leaves, leaves);
    leaves *= 2;
    greatest = wider;
    for (int node = leaves - 1; node > 0; node--) {
      greatest[node] = greaterOfPair(node);
    }
  }

  /// Sets the free space of a block.
  ///
  /// @param room the length of the longest name that fits, in bytes; less than 1 if no name fits
  public void set(int block, int room) {
    int node = leaves + block;
    greatest[node] = (short) Math.max(0, room);
    for (node /= 2; node > 0; node /= 2) {
      greatest[node] = greaterOfPair(node);
    }
  }

  private short greaterOfPair(int node) {
    return (short) Math.max(greatest[2 * node], greatest[2 * node + 1]);
  }

  /// Returns the first block with space for a name; [#NONE] if there is none.
  ///
  /// @param length the length of the name in bytes, at least 1
  public int first(int length) {
    if (greatest[1] < length) {
      return NONE;
    }
    int node = 1;
    while (node < leaves) {
      node *= 2;
      if (greatest[node] < length) {
        node++;
      }
    }
    return node - leaves;
  }
}
