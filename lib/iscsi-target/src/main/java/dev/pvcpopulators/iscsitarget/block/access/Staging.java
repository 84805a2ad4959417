package dev.pvcpopulators.iscsitarget.block.access;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// Limits the total size of the buffers of commands that wait for an initiator. Even a hundred
/// initiators that announce data and never send it cannot make the buffers exceed the limit.
public final class Staging {
  private final AtomicLong left;

  /// Creates the limit; allocates nothing yet.
  ///
  /// @param bytes the maximum total size of the buffers that are in use
  public Staging(long bytes) {
    this.left = new AtomicLong(bytes);
  }

  /// Allocates a buffer.
  ///
  /// @return the buffer; null if the total size with this buffer would exceed the limit. In that
  ///   case, the caller may try again later
  public @Nullable ByteBuffer take(int bytes) {
    if (left.addAndGet(-bytes) < 0) {
      left.addAndGet(bytes);
      return null;
    }
    return ByteBuffer.allocate(bytes);
  }

  /// Gives back a buffer: the size of the buffer no longer counts towards the limit, and the caller
  /// must not use the buffer any more.
  ///
  /// @param buffer a buffer that [#take] returned
  public void giveBack(ByteBuffer buffer) {
    left.addAndGet(buffer.capacity());
  }
}
