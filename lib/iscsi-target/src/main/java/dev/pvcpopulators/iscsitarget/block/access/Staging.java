package dev.pvcpopulators.iscsitarget.block.access;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// Bounded memory for commands that wait for an initiator: even a hundred initiators that announce
/// data and never send it cannot occupy more.
public final class Staging {
  private final AtomicLong left;

  /// Creates memory of a given size.
  ///
  /// @param bytes the total size of the memory
  public Staging(long bytes) {
    this.left = new AtomicLong(bytes);
  }

  /// Takes memory.
  ///
  /// @return null if not enough is free; try again later
  public @Nullable ByteBuffer take(int bytes) {
    if (left.addAndGet(-bytes) < 0) {
      left.addAndGet(bytes);
      return null;
    }
    return ByteBuffer.allocate(bytes);
  }

  /// Returns memory.
  ///
  /// @param buffer from [#take]
  public void giveBack(ByteBuffer buffer) {
    left.addAndGet(buffer.capacity());
  }
}
