package dev.pvcpopulators.iscsitarget.copy;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/// The outcomes of the latest EXTENDED COPY commands that one nexus sent to one logical unit, by
/// list identifier, for RECEIVE COPY STATUS (SPC-4, section 6.28). Thread-safe. Keeps at most
/// [#KEPT] outcomes.
public final class CopyResults {
  private static final int KEPT = 8;
  private static final int STATUS_LENGTH = 12;
  private static final int IN_BYTES = 0;
  private static final int DONE = 0x01;
  private static final int DONE_WITH_ERRORS = 0x02;

  private final Deque<Result> results = new ArrayDeque<>();

  /// The outcome of one copy.
  ///
  /// @param segments the number of segments that were copied completely
  /// @param bytes the total length of these segments in bytes; [#status] reports at most 2^32 − 1
  record Result(int listId, boolean good, int segments, long bytes) {}

  synchronized void add(Result result) {
    results.removeIf(earlier -> earlier.listId() == result.listId());
    results.addLast(result);
    if (results.size() > KEPT) {
      results.removeFirst();
    }
  }

  /// Returns the parameter data of RECEIVE COPY STATUS for a list identifier.
  ///
  /// @return the parameter data; null if no outcome is kept for the identifier
  public synchronized byte @Nullable [] status(int listId) {
    for (Result result : results) {
      if (result.listId() == listId) {
        return ByteBuffer.allocate(STATUS_LENGTH)
            .putInt(STATUS_LENGTH - Integer.BYTES)
            .put((byte) (result.good() ? DONE : DONE_WITH_ERRORS))
            .putShort((short) result.segments())
            .put((byte) IN_BYTES)
            .putInt((int) Math.min(result.bytes(), 0xFFFF_FFFFL))
            .array();
      }
    }
    return null;
  }
}
