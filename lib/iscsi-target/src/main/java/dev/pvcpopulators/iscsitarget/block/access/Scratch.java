package dev.pvcpopulators.iscsitarget.block.access;

import java.nio.ByteBuffer;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;

/// A small pool of buffers for work on the medium, for example to compare or to fill blocks. A
/// thread that holds a buffer may wait for the medium and for the lock of the block device, but
/// never for an initiator. Therefore an initiator that sends no data cannot prolong the wait for a
/// buffer.
public final class Scratch {
  /// The size of a buffer in bytes: the maximum number of bytes that a COMPARE AND WRITE compares.
  public static final int BYTES = 1 << 16;

  private static final int BUFFERS = 4;

  private final Semaphore free = new Semaphore(BUFFERS);
  private final ConcurrentLinkedQueue<ByteBuffer> buffers = new ConcurrentLinkedQueue<>();

  /// Waits until a buffer is free, and returns it. The caller has to give the buffer back with
  /// [#giveBack].
  ///
  /// @return a buffer of [#BYTES] bytes of undefined content; its position is 0, and its limit is
  ///   its capacity
  public ByteBuffer borrow() {
    free.acquireUninterruptibly();
    ByteBuffer buffer = buffers.poll();
    return buffer == null ? ByteBuffer.allocateDirect(BYTES) : buffer.clear();
  }

  public void giveBack(ByteBuffer buffer) {
    buffers.add(buffer);
    free.release();
  }
}
