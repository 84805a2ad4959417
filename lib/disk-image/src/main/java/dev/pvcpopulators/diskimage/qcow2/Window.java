package dev.pvcpopulators.diskimage.qcow2;

import java.io.IOException;
import java.io.InputStream;
import java.util.BitSet;

/// The newest bytes of the source, in a ring of chunks, read as the source gives them: nothing
/// waits for a chunk to be full. A chunk holds whole clusters, so no cluster wraps around the
/// ring's end.
final class Window {
  private static final int MIN_CHUNK = 1 << 20;

  private final byte[] ring;
  private final int chunk;

  /// The bytes of compressed extents that were decompressed already: others of the same cluster may
  /// belong to extents whose table comes later.
  private final BitSet consumed = new BitSet();

  private InputStream source;
  private long start;
  private long end;
  private boolean exhausted;

  /// @param length bytes to look back at least; raised to what the longest compressed extent takes
  Window(InputStream source, int clusterBits, int length) {
    this.source = source;
    this.chunk = Math.max(MIN_CHUNK, 1 << clusterBits);
    int behind = Math.max(length, CompressedDescriptor.maxLength(clusterBits));
    this.ring = new byte[Math.toIntExact(((long) behind + chunk - 1) / chunk * chunk + chunk)];
  }

  /// Forgets everything, to begin again with the same bytes.
  void restart(InputStream sameSource) {
    source = sameSource;
    consumed.clear();
    start = 0;
    end = 0;
    exhausted = false;
  }

  /// Waits for more of the source and reads what it gives at once, within a chunk. The first bytes
  /// of a chunk take the place of the oldest one.
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

  /// Reads until a host offset has passed, or the source has ended.
  ///
  /// @param to at most a chunk's length
  void advanceTo(long to) throws IOException {
    while (end < to && !exhausted) {
      advance();
    }
  }

  /// True when [#advance] may have to wait for the source.
  boolean mayBlock() throws IOException {
    return source.available() == 0;
  }

  /// Host offset of the oldest byte that the next [#advance] leaves in the ring.
  long nextStart() {
    return Math.max(0, end / chunk * chunk + chunk - ring.length);
  }

  /// Host offset of the oldest byte in the ring.
  long start() {
    return start;
  }

  /// Host offset after the newest byte.
  long end() {
    return end;
  }

  /// True when the source has ended.
  boolean exhausted() {
    return exhausted;
  }

  byte[] ring() {
    return ring;
  }

  /// Where in the ring a host byte is that lies in the window.
  int index(long hostOffset) {
    return (int) (hostOffset % ring.length);
  }

  /// Bytes from a host offset on that lie in one piece in the ring, at most `length`.
  int contiguous(long hostOffset, long length) {
    return (int) Math.min(length, ring.length - index(hostOffset));
  }

  /// Notes that an extent was decompressed; only its part in the window counts.
  ///
  /// @return false when some of it had been before
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

  /// The first byte at or after `from` that no decompressed extent covered, at most `to`; both in
  /// one piece of the ring.
  long nextUnconsumed(long from, long to) {
    int slot = index(from);
    return Math.min(to, from + (consumed.nextClearBit(slot) - slot));
  }

  /// The first byte at or after `from` that a decompressed extent covered, at most `to`.
  long nextConsumed(long from, long to) {
    int slot = index(from);
    int next = consumed.nextSetBit(slot);
    return next < 0 ? to : Math.min(to, from + (next - slot));
  }
}
