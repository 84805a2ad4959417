package dev.pvcpopulators.iscsitarget.block.access;

import dev.pvcpopulators.iscsitarget.scsi.Response;
import dev.pvcpopulators.iscsitarget.scsi.Task;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// Receives the data of a command, and passes the data to a sink in aligned pieces. While the sink
/// consumes a piece, more data can arrive.
///
/// Each piece except the last ends at an offset of the medium that is a multiple of 4 KiB, the
/// block size of an overlay. Without this rule, a write of whole 4-KiB blocks could become several
/// writes of parts of these blocks. To write a part of a block, the overlay has to read the rest of
/// the block from the overlay's base.
public final class AlignedDataOut {
  /// The alignment in bytes.
  public static final int GRAIN = 4096;

  private AlignedDataOut() {}

  /// A consumer of pieces.
  @FunctionalInterface
  public interface Sink {
    /// Consumes a whole piece.
    ///
    /// @param task the command that received the piece
    /// @param offset the offset of the piece in bytes, from the beginning of the medium
    /// @param piece the data; the sink must not change its bytes
    /// @return null to continue, else the response that ends the command
    @Nullable Response take(Task task, long offset, ByteBuffer piece) throws IOException;
  }

  /// Passes all data of a task to a sink.
  ///
  /// @param offset the offset of the data in bytes, from the beginning of the medium
  /// @param length the length in bytes that [Task#declareOut] returned
  /// @return null if the sink consumed all data, else the response with which the sink ended the
  ///   command
  public static @Nullable Response move(Task task, long offset, long length, Sink sink)
      throws IOException {
    long end = offset + length;
    long at = offset;
    ByteBuffer rest = null;
    while (at < end) {
      ByteBuffer piece = task.receive((int) Math.min(end - at, Integer.MAX_VALUE));
      if (rest == null && whole(at, piece, end)) {
        long from = at;
        at += piece.remaining();
        Response ended = sink.take(task, from, piece);
        if (ended != null) {
          return ended;
        }
        continue;
      }
      if (rest == null) {
        rest = ByteBuffer.allocate(GRAIN);
      }
      Response ended = cut(task, at, piece.slice(), end, rest, sink);
      if (ended != null) {
        return ended;
      }
      at += piece.remaining();
    }
    return null;
  }

  private static boolean whole(long at, ByteBuffer piece, long end) {
    long next = at + piece.remaining();
    return next == end || next % GRAIN == 0;
  }

  /// Passes the kept bytes and a new piece to the sink. If the piece does not end at the end of the
  /// data, passes the bytes only up to the last offset that is a multiple of [#GRAIN], and keeps
  /// the bytes after that offset.
  ///
  /// @param at the offset of the new piece in bytes, from the beginning of the medium
  /// @param end the end of the data, as an offset like `at`
  /// @param rest the kept bytes, from index 0 to the buffer's position: the bytes directly before
  ///   `at` that the sink has not received yet
  private static @Nullable Response cut(
      Task task, long at, ByteBuffer piece, long end, ByteBuffer rest, Sink sink)
      throws IOException {
    long next = at + piece.remaining();
    if (rest.position() > 0) {
      int wanted = (int) Math.min(GRAIN - at % GRAIN, piece.remaining());
      rest.put(piece.slice(piece.position(), wanted));
      piece.position(piece.position() + wanted);
      long filled = at + wanted;
      if (filled % GRAIN != 0 && filled != end) {
        return null;
      }
      long start = filled - rest.position();
      Response ended = sink.take(task, start, rest.flip());
      rest.clear();
      if (ended != null) {
        return ended;
      }
    }
    int kept = next == end ? 0 : (int) Math.min(next % GRAIN, piece.remaining());
    int handed = piece.remaining() - kept;
    if (handed > 0) {
      long start = next - piece.remaining();
      Response ended = sink.take(task, start, piece.slice(piece.position(), handed));
      if (ended != null) {
        return ended;
      }
    }
    rest.put(piece.slice(piece.limit() - kept, kept));
    return null;
  }
}
