package dev.pvcpopulators.diskimage.qcow2.read;

import dev.pvcpopulators.diskimage.qcow2.format.CompressedDescriptor;
import java.io.IOException;
import java.io.InputStream;
import java.util.BitSet;

/// The newest bytes of the source, in a ring of chunks. Bytes are available as soon as the source
/// returns them, before their chunk is full. A chunk contains whole clusters, so no cluster wraps
/// around the ring's end.
final class Window {
  private static final int MIN_CHUNK = 1 << 20;

  private final byte[] ring;
  private final int chunk;

  /// Marks the bytes of compressed extents that were already decompressed. Other bytes of the same
  /// host clusters may belong to extents whose table comes later.
  private final BitSet consumed = new BitSet();

  private InputStream source;
  private long start;
  private long end;
  private boolean exhausted;

  /// Creates a window.
  ///
  /// @param length minimum number of bytes that stay in the ring in addition to the newest chunk; a
  ///   smaller number is raised to the maximum length of a compressed extent
  Window(InputStream source, int clusterBits, int length) {
    this.source = source;
    this.chunk = Math.max(MIN_CHUNK, 1 << clusterBits);
    int behind = Math.max(length, CompressedDescriptor.maxLength(clusterBits));
    this.ring = new byte[Math.toIntExact(((long) behind + chunk - 1) / chunk * chunk + chunk)];
  }

  /// Clears the window, so that the same source can be read again from its first byte.
  void restart(InputStream sameSource) {
    source = sameSource;
    consumed.clear();
    start = 0;
    end = 0;
    exhausted = false;
  }

  /// Waits for more of the source and reads the available bytes, up to the end of the current
  /// chunk. The first bytes of a new chunk replace the oldest chunk.
  void advance() throws IOException {
    start = nextStart();
    int slot = index(end);
    int within = slot % chunk;
    if (within == 0) {
      consumed.clear(slot, slot + chunk);
    }
    int count = source.read(ring, slot, chunk - within);
    end += Math.max(count, 0);
    exhausted = count < 0;
  }

  /// Reads at least up to a host offset, or to the end of the source.
  ///
  /// @param to at most one chunk's length after [#end]
  void advanceTo(long to) throws IOException {
    while (end < to && !exhausted) {
      advance();
    }
  }

  /// Returns true if [#advance] may block on the source.
  boolean mayBlock() throws IOException {
    return source.available() == 0;
  }

  /// Returns the host offset of the oldest byte that the next [#advance] leaves in the ring.
  long nextStart() {
    return Math.max(0, end / chunk * chunk + chunk - ring.length);
  }

  /// Returns the host offset of the oldest byte in the ring.
  long start() {
    return start;
  }

  /// Returns the host offset after the newest byte.
  long end() {
    return end;
  }

  /// Returns true if the source has ended.
  boolean exhausted() {
    return exhausted;
  }

  byte[] ring() {
    return ring;
  }

  /// Returns the index in the ring at which a host byte is stored.
  int index(long hostOffset) {
    return (int) (hostOffset % ring.length);
  }

  /// Returns how many bytes from a host offset on are contiguous in the ring, at most `length`.
  int contiguous(long hostOffset, long length) {
    return (int) Math.min(length, ring.length - index(hostOffset));
  }

  /// Marks the bytes of a decompressed extent as consumed, as far as they are in the window.
  ///
  /// @return false if one of these bytes was already marked
  boolean consume(long hostOffset, int length) {
    long to = hostOffset + length;
    boolean fresh = true;
    for (long at = Math.max(hostOffset, start); at < to; ) {
      int count = contiguous(at, to - at);
      int slot = index(at);
      int taken = consumed.nextSetBit(slot);
      fresh &= taken < 0 || taken >= slot + count;
      consumed.set(slot, slot + count);
      at += count;
    }
    return fresh;
  }

  /// Returns the host offset of the first byte at or after `from` that no decompressed extent has
  /// covered, or `to` if there is no such byte before `to`. The range from `from` to `to` must be
  /// contiguous in the ring.
  long nextUnconsumed(long from, long to) {
    int slot = index(from);
    return Math.min(to, from + (consumed.nextClearBit(slot) - slot));
  }

  /// Returns the host offset of the first byte at or after `from` that a decompressed extent has
  /// covered, or `to` if there is no such byte before `to`. The range from `from` to `to` must be
  /// contiguous in the ring.
  long nextConsumed(long from, long to) {
    int slot = index(from);
    int next = consumed.nextSetBit(slot);
    return next < 0 ? to : Math.min(to, from + (next - slot));
  }
}
