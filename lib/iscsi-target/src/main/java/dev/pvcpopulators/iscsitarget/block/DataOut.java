package dev.pvcpopulators.iscsitarget.block;

import dev.pvcpopulators.iscsitarget.scsi.Response;
import dev.pvcpopulators.iscsitarget.scsi.Task;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// Takes a command's data as it comes and hands it on in few and whole pieces.
///
/// Pieces are cut where the medium's offset is a multiple of 4 KiB: a write of whole blocks then
/// never becomes writes of half ones, which an overlay would have to complete from below.
final class DataOut {
  /// Bytes.
  static final int GRAIN = 4096;

  private DataOut() {}

  /// What is done with a piece.
  @FunctionalInterface
  interface Sink {
    /// Takes all of a piece.
    ///
    /// @param offset bytes from the beginning of the medium
    /// @param piece to be changed by nobody
    /// @return null to go on, else how the command ends
    @Nullable Response take(long offset, ByteBuffer piece) throws IOException;
  }

  /// Moves all data of a task.
  ///
  /// @param offset where the first byte belongs
  /// @param length bytes, what [Task#declareOut] gave
  /// @return null where the sink took all of it
  static @Nullable Response move(Task task, long offset, long length, Sink sink)
      throws IOException {
    long end = offset + length;
    long at = offset;
    ByteBuffer rest = null;
    while (at < end) {
      ByteBuffer piece = task.receive((int) Math.min(end - at, Integer.MAX_VALUE));
      if (rest == null && whole(at, piece, end)) {
        long from = at;
        at += piece.remaining();
        Response ended = sink.take(from, piece);
        if (ended != null) {
          return ended;
        }
        continue;
      }
      if (rest == null) {
        rest = ByteBuffer.allocate(GRAIN);
      }
      Response ended = cut(at, piece.slice(), end, rest, sink);
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

  /// Completes the rest of earlier pieces, hands on what is whole, keeps the rest.
  ///
  /// @param rest bytes before `at` that have not been handed on, between 0 and its position
  private static @Nullable Response cut(
      long at, ByteBuffer piece, long end, ByteBuffer rest, Sink sink) throws IOException {
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
      Response ended = sink.take(start, rest.flip());
      rest.clear();
      if (ended != null) {
        return ended;
      }
    }
    int kept = next == end ? 0 : (int) Math.min(next % GRAIN, piece.remaining());
    int handed = piece.remaining() - kept;
    if (handed > 0) {
      long start = next - piece.remaining();
      Response ended = sink.take(start, piece.slice(piece.position(), handed));
      if (ended != null) {
        return ended;
      }
    }
    rest.put(piece.slice(piece.limit() - kept, kept));
    return null;
  }

  /// Takes all data of a task into a buffer, from its position.
  ///
  /// @param length bytes, what [Task#declareOut] gave; at most what the buffer has room for
  static void fill(Task task, long length, ByteBuffer into) throws IOException {
    int end = into.position() + Math.toIntExact(length);
    while (into.position() < end) {
      into.put(task.receive(end - into.position()));
    }
  }
}
