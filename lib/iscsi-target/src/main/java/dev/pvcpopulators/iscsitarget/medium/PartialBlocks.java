package dev.pvcpopulators.iscsitarget.medium;

import java.util.HashMap;
import java.util.Map;

/// Counts the delivered bytes of each block that the stream of an arriving disk has delivered only
/// in part. The stream delivers each byte at most once, so a count is enough.
///
/// At most [#MAX] blocks are counted at once. When [#MAX] blocks are counted and a part of another
/// block arrives, the other block is *forgotten*: [#add] does not return true for it before
/// [#clear]. The only effect is that some readers wait longer, at most until the disk is complete.
///
/// Used by one thread at a time.
final class PartialBlocks {
  /// The maximum number of counted blocks. Their counts take less than 2 MiB of heap.
  static final int MAX = 16 << 10;

  private final Map<Long, Integer> bytes = new HashMap<>();
  private boolean forgot;

  /// Counts bytes of a block.
  ///
  /// @param count the number of new bytes, at least 1
  /// @param size the size of the whole block in bytes
  /// @return whether the block is whole now
  boolean add(long block, int count, int size) {
    int sum = bytes.getOrDefault(block, 0) + count;
    if (sum >= size) {
      bytes.remove(block);
      return true;
    }
    if (bytes.size() < MAX || bytes.containsKey(block)) {
      bytes.put(block, sum);
    } else {
      forgot = true;
    }
    return false;
  }

  boolean contains(long block) {
    return !bytes.isEmpty() && bytes.containsKey(block);
  }

  /// Returns whether a block was forgotten since the last [#clear].
  boolean forgot() {
    return forgot;
  }

  void clear() {
    bytes.clear();
    forgot = false;
  }
}
