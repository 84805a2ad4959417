package dev.pvcpopulators.iscsitarget.medium;

import java.util.HashMap;
import java.util.Map;

/// Counts the present bytes of partly present blocks. Each byte arrives at most once, so a count is
/// enough.
///
/// At most [#MAX] blocks are counted. If more blocks are partly present at once, some blocks are
/// forgotten: they do not count as whole before the disk is complete. The only effect is that some
/// readers wait longer. Used by one thread at a time.
final class PartialBlocks {
  /// The maximum number of partial blocks. Their counts take less than 2 MiB of heap.
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
