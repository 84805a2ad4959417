package dev.pvcpopulators.iscsitarget.medium;

import java.util.HashMap;
import java.util.Map;

/// Blocks of which some bytes are here and others are not. Each byte comes at most once, so that
/// counting them is enough.
///
/// Bounded: where a disk comes in more pieces than [#MAX] at once, blocks are forgotten and stay
/// missing until the disk is complete, which costs time and nothing else. For one thread at a time.
final class PartialBlocks {
  /// About two MiB of heap.
  static final int MAX = 16 << 10;

  private final Map<Long, Integer> bytes = new HashMap<>();
  private boolean forgot;

  /// Counts bytes of a block.
  ///
  /// @param count bytes that are new, at least 1
  /// @param size bytes of the whole block
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

  /// Whether a block was forgotten since the last [#clear].
  boolean forgot() {
    return forgot;
  }

  void clear() {
    bytes.clear();
    forgot = false;
  }
}
