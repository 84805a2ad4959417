package dev.pvcpopulators.ext4;

/// How long a name each block of a directory has room for, and which is the first with room enough:
/// a tree of the greatest of each pair.
final class RoomTree {
  static final int NONE = -1;

  private int leaves = 1;
  private short[] greatest = new short[2];
  private int count;

  /// Takes up the next block.
  void add(int room) {
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

  /// Replaces the room of a block.
  ///
  /// @param room bytes of a name; less than 1 for none
  void set(int block, int room) {
    int node = leaves + block;
    greatest[node] = (short) Math.max(0, room);
    for (node /= 2; node > 0; node /= 2) {
      greatest[node] = greaterOfPair(node);
    }
  }

  private short greaterOfPair(int node) {
    return (short) Math.max(greatest[2 * node], greatest[2 * node + 1]);
  }

  /// The first block with room for a name; [#NONE] where there is none.
  ///
  /// @param length of the name, at least 1
  int first(int length) {
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
