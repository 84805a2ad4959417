package dev.pvcpopulators.diskimage.qcow2.read;

import java.util.Arrays;

/// The known runs of host bytes that have not arrived yet: a binary heap in primitive arrays, with
/// the run that is due first on top.
///
/// A run of standard clusters is due at its beginning, because each part of the run can be written
/// as soon as the part arrives. A compressed extent is due at its end, where it is complete. If a
/// compressed extent and a run of standard clusters are due at the same offset, the extent comes
/// first.
final class PendingRuns {
  private static final int INITIAL_CAPACITY = 64;

  /// The sign bit of a value in `guest`, set for a compressed extent. Guest offsets are never
  /// negative.
  private static final long COMPRESSED = Long.MIN_VALUE;

  private final int limit;
  private long[] due = new long[INITIAL_CAPACITY];
  private long[] guest = new long[INITIAL_CAPACITY];
  private long[] length = new long[INITIAL_CAPACITY];
  private int count;

  /// Creates an empty heap.
  ///
  /// @param limit maximum number of runs; the caller checks it with [#hasRoomFor]
  PendingRuns(int limit) {
    this.limit = limit;
  }

  boolean hasRoomFor(int runs) {
    return runs <= limit - count;
  }

  boolean isEmpty() {
    return count == 0;
  }

  void addData(long hostOffset, long guestOffset, long bytes) {
    add(hostOffset, guestOffset, bytes);
  }

  /// Adds a compressed extent.
  ///
  /// @param bytes number of bytes from the extent's first byte to the end of its last sector
  void addCompressed(long hostOffset, long guestOffset, int bytes) {
    add(hostOffset + bytes, guestOffset | COMPRESSED, bytes);
  }

  /// Returns the host offset at which the top run is due, or `Long.MAX_VALUE` if there is no run.
  long due() {
    return count == 0 ? Long.MAX_VALUE : due[0];
  }

  /// Returns whether the top run is compressed.
  boolean compressed() {
    return guest[0] < 0;
  }

  /// Returns the host offset of the top run.
  long hostOffset() {
    return compressed() ? due[0] - length[0] : due[0];
  }

  /// Returns the guest offset of the top run.
  long guestOffset() {
    return guest[0] & ~COMPRESSED;
  }

  /// Returns the length of the top run in bytes.
  long length() {
    return length[0];
  }

  /// Removes the first `bytes` bytes of the top run, which must not be compressed. Removes the run
  /// itself if no bytes remain.
  void consume(long bytes) {
    if (bytes == length[0]) {
      remove();
      return;
    }
    due[0] += bytes;
    guest[0] += bytes;
    length[0] -= bytes;
    siftDown();
  }

  void remove() {
    count--;
    move(count, 0);
    siftDown();
  }

  private void add(long dueAt, long guestOffset, long bytes) {
    if (count == due.length) {
      int capacity = 2 * count;
      due = Arrays.copyOf(due, capacity);
      guest = Arrays.copyOf(guest, capacity);
      length = Arrays.copyOf(length, capacity);
    }
    int at = count++;
    while (at > 0 && after((at - 1) / 2, dueAt, guestOffset)) {
      move((at - 1) / 2, at);
      at = (at - 1) / 2;
    }
    set(at, dueAt, guestOffset, bytes);
  }

  private void siftDown() {
    long dueAt = due[0];
    long guestOffset = guest[0];
    long bytes = length[0];
    int at = 0;
    while (2 * at + 1 < count) {
      int child = 2 * at + 1;
      if (child + 1 < count && after(child, due[child + 1], guest[child + 1])) {
        child++;
      }
      if (!after(dueAt, guestOffset, due[child], guest[child])) {
        break;
      }
      move(child, at);
      at = child;
    }
    set(at, dueAt, guestOffset, bytes);
  }

  private boolean after(int index, long otherDue, long otherGuest) {
    return after(due[index], guest[index], otherDue, otherGuest);
  }

  /// Returns whether one run comes after another. If both runs are due at the same offset, a
  /// compressed extent comes first, because its value in `guest` is negative.
  private static boolean after(long oneDue, long oneGuest, long otherDue, long otherGuest) {
    return oneDue > otherDue || (oneDue == otherDue && oneGuest > otherGuest);
  }

  private void move(int from, int to) {
    set(to, due[from], guest[from], length[from]);
  }

  private void set(int at, long dueAt, long guestOffset, long bytes) {
    due[at] = dueAt;
    guest[at] = guestOffset;
    length[at] = bytes;
  }
}
