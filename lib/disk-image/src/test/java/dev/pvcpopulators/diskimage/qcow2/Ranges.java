package dev.pvcpopulators.diskimage.qcow2;

import java.util.Map;
import java.util.TreeMap;

/// A set of byte offsets, as disjoint ranges.
final class Ranges {
  private final TreeMap<Long, Long> endByStart = new TreeMap<>();

  /// Adds a range and returns true. If the set already contains a part of the range, returns false
  /// and changes nothing.
  boolean add(long start, long end) {
    if (intersects(start, end)) {
      return false;
    }
    long from = start;
    long to = end;
    Map.Entry<Long, Long> before = endByStart.lowerEntry(start);
    if (before != null && before.getValue() == start) {
      from = before.getKey();
    }
    Long after = endByStart.remove(end);
    if (after != null) {
      to = after;
    }
    endByStart.put(from, to);
    return true;
  }

  /// Removes a range and returns true. If the set does not contain the whole range, returns false
  /// and changes nothing.
  boolean remove(long start, long end) {
    Map.Entry<Long, Long> around = endByStart.floorEntry(start);
    if (around == null || around.getValue() < end) {
      return false;
    }
    endByStart.remove(around.getKey());
    if (around.getKey() < start) {
      endByStart.put(around.getKey(), start);
    }
    if (end < around.getValue()) {
      endByStart.put(end, around.getValue());
    }
    return true;
  }

  /// Returns the end of the range that contains an offset. If no range contains the offset, returns
  /// the offset itself.
  long endOf(long offset) {
    Map.Entry<Long, Long> around = endByStart.floorEntry(offset);
    return around == null ? offset : Math.max(offset, around.getValue());
  }

  private boolean intersects(long start, long end) {
    Map.Entry<Long, Long> last = endByStart.lowerEntry(end);
    return last != null && last.getValue() > start;
  }
}
