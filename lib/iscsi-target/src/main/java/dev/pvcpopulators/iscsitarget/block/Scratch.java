package dev.pvcpopulators.iscsitarget.block;

import java.nio.ByteBuffer;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;

/// A few buffers that commands borrow for work on the medium: to compare, to combine, to fill. Who
/// has one waits for nothing but the medium, so that those who wait for one wait shortly.
final class Scratch {
  /// Bytes of a buffer: as many as the longest COMPARE AND WRITE compares.
  static final int BYTES = 1 << 16;

  private static final int BUFFERS = 4;

  private final Semaphore free = new Semaphore(BUFFERS);
  private final ConcurrentLinkedQueue<ByteBuffer> buffers = new ConcurrentLinkedQueue<>();

  /// Waits for a buffer, which the caller gives back.
  ///
  /// @return [#BYTES] bytes of whatever contents, position 0, limit at the end
  ByteBuffer borrow() {
    free.acquireUninterruptibly();
    ByteBuffer buffer = buffers.poll();
    return buffer == null ? ByteBuffer.allocateDirect(BYTES) : buffer.clear();
  }

  void giveBack(ByteBuffer buffer) {
    buffers.add(buffer);
    free.release();
  }
}
