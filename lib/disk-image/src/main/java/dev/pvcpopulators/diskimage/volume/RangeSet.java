package dev.pvcpopulators.diskimage.volume;

import java.util.Map;
import java.util.TreeMap;

/// A set of byte ranges; adjacent ranges are joined.
final class RangeSet {
  private final TreeMap<Long, Long> endByBegin = new TreeMap<>();
  private long bytes;

  /// Adds a range that does not overlap a range in the set.
  void add(long offset, long length) {
    long begin = offset;
    long end = offset + length;
    Map.Entry<Long, Long> before = endByBegin.floorEntry(begin);
    if (before != null && before.getValue() == begin) {
      begin = before.getKey();
    }
    Long after = endByBegin.remove(end);
    endByBegin.put(begin, after == null ? end : after);
    bytes += length;
  }

  int count() {
    return endByBegin.size();
  }

  long bytes() {
    return bytes;
  }

  /// Returns the ranges in ascending order; each entry maps the start of a range to its end.
  Iterable<Map.Entry<Long, Long>> ranges() {
    return endByBegin.entrySet();
  }

  void clear() {
    endByBegin.clear();
    bytes = 0;
  }
}
