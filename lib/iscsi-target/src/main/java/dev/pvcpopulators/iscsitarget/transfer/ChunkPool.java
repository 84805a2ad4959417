package dev.pvcpopulators.iscsitarget.transfer;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/// A bounded pool of direct memory, in chunks of [#CHUNK] bytes, for data that initiators have sent
/// and commands have not consumed yet. Each account has one reserved chunk; the other chunks go to
/// the accounts that request them first. Returned chunks are kept for reuse. Thread-safe.
public final class ChunkPool {
  /// The size of a chunk in bytes.
  public static final int CHUNK = 64 * 1024;

  /// The number of shared chunks.
  private static final int SHARED = 256;

  /// The maximum number of chunks of an account: enough for 32 first bursts of 256 KiB each. By
  /// default, open-iscsi has a queue depth of 32.
  private static final int MOST = 128;

  private final Semaphore shared = new Semaphore(SHARED);
  private final ArrayDeque<ByteBuffer> idle = new ArrayDeque<>();

  /// Opens an account. Accounts are never closed.
  public Account account() {
    return new Account();
  }

  private synchronized ByteBuffer obtain() {
    ByteBuffer chunk = idle.pollFirst();
    return chunk == null ? ByteBuffer.allocateDirect(CHUNK) : chunk;
  }

  private synchronized void giveBack(ByteBuffer chunk) {
    idle.addFirst(chunk.clear());
  }

  /// A share of the pool.
  public final class Account {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private int taken;

    private Account() {}

    /// Takes chunks, all or none, without waiting.
    ///
    /// @param count at least 1
    /// @return empty if this account cannot take `count` chunks now
    public List<ByteBuffer> tryTake(int count) {
      lock.lock();
      try {
        List<ByteBuffer> chunks = upTo(count);
        if (chunks.size() == count) {
          return chunks;
        }
        giveBackLocked(chunks);
        return List.of();
      } finally {
        lock.unlock();
      }
    }

    /// Takes at least one chunk; waits if this account cannot take a chunk.
    ///
    /// @param count the maximum number of chunks, at least 1
    /// @param abandoned returns whether to end the wait; checked before each attempt. Only
    ///   [#release] and [#wake] of this account cause a new attempt
    /// @return empty if the wait was abandoned
    List<ByteBuffer> take(int count, BooleanSupplier abandoned) {
      lock.lock();
      try {
        while (!abandoned.getAsBoolean()) {
          List<ByteBuffer> chunks = upTo(count);
          if (!chunks.isEmpty()) {
            return chunks;
          }
          changed.awaitUninterruptibly();
        }
        return List.of();
      } finally {
        lock.unlock();
      }
    }

    /// Gives back chunks that this account has taken.
    public void release(List<ByteBuffer> chunks) {
      lock.lock();
      try {
        giveBackLocked(chunks);
        changed.signalAll();
      } finally {
        lock.unlock();
      }
    }

    /// Makes waiting threads check whether to end their wait.
    public void wake() {
      lock.lock();
      try {
        changed.signalAll();
      } finally {
        lock.unlock();
      }
    }

    private List<ByteBuffer> upTo(int count) {
      List<ByteBuffer> chunks = new ArrayList<>(count);
      while (chunks.size() < count && taken < MOST && (taken == 0 || shared.tryAcquire())) {
        taken++;
        try {
          chunks.add(obtain());
        } catch (OutOfMemoryError e) {
          leavePlace();
          giveBackLocked(chunks);
          throw e;
        }
      }
      return chunks;
    }

    private void giveBackLocked(List<ByteBuffer> chunks) {
      for (ByteBuffer chunk : chunks) {
        giveBack(chunk);
        leavePlace();
      }
    }

    private void leavePlace() {
      taken--;
      if (taken > 0) {
        shared.release();
      }
    }
  }
}
