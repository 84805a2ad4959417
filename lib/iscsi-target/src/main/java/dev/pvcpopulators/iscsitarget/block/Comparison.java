package dev.pvcpopulators.iscsitarget.block;

import dev.pvcpopulators.iscsitarget.scsi.Task;
import java.io.IOException;
import java.nio.ByteBuffer;

/// Compares stored data with data from an initiator.
record Comparison(BlockDevice blocks) {
  static final int EQUAL = -1;

  /// Compares a range with a buffer of equal length.
  ///
  /// @param offset in bytes
  /// @param expected the expected bytes; the buffer is not changed
  /// @return the index of the first byte that differs; [#EQUAL] if no byte differs
  int mismatch(long offset, ByteBuffer expected) throws IOException {
    ByteBuffer stored = blocks.scratch().borrow();
    try {
      int done = 0;
      while (done < expected.remaining()) {
        int step = Math.min(expected.remaining() - done, stored.capacity());
        blocks.read(offset + done, stored.clear().limit(step));
        int at = stored.flip().mismatch(expected.slice(expected.position() + done, step));
        if (at >= 0) {
          return done + at;
        }
        done += step;
      }
      return EQUAL;
    } finally {
      blocks.scratch().giveBack(stored);
    }
  }

  /// Compares each block of a range with the same expected block.
  ///
  /// @param length the length of the range in bytes: a multiple of the block size
  /// @param block the expected block; the buffer is not changed
  /// @return the index of the first byte that differs, counted from the beginning of its block;
  ///   [#EQUAL] if no byte differs
  int mismatchOfAny(Task task, long offset, long length, ByteBuffer block) throws IOException {
    ByteBuffer stored = blocks.scratch().borrow();
    try {
      for (long done = 0; done < length; done += stored.limit()) {
        stored.clear().limit((int) Math.min(length - done, stored.capacity()));
        read(task, offset + done, stored);
        for (int at = 0; at < stored.limit(); at += BlockDevice.BLOCK) {
          int differs = stored.slice(at, BlockDevice.BLOCK).mismatch(block);
          if (differs >= 0) {
            return differs;
          }
        }
      }
      return EQUAL;
    } finally {
      blocks.scratch().giveBack(stored);
    }
  }

  /// Reads a range, to check that it is readable and to put it into the page cache.
  ///
  /// @param length in bytes
  void readAll(Task task, long offset, long length) throws IOException {
    ByteBuffer stored = blocks.scratch().borrow();
    try {
      for (long done = 0; done < length; done += stored.limit()) {
        stored.clear().limit((int) Math.min(length - done, stored.capacity()));
        read(task, offset + done, stored);
      }
    } finally {
      blocks.scratch().giveBack(stored);
    }
  }

  private void read(Task task, long offset, ByteBuffer into) throws IOException {
    task.checkAborted();
    blocks.read(offset, into);
  }
}
