package dev.pvcpopulators.iscsitarget.session;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/// Memory outside the heap for data that initiators have sent and that a command has yet to take,
/// in chunks of [#CHUNK] bytes. Bounded: each account has one chunk for sure, the rest is for
/// whoever comes first. Chunks are kept for the next one who needs some. Thread-safe.
final class ChunkPool {
  /// Bytes of a chunk.
  static final int CHUNK = 64 * 1024;

  /// Chunks that belong to no account.
  private static final int SHARED = 256;

  /// Most chunks of an account: the first bursts of 32 writes, which is the depth of open-iscsi's
  /// queue.
  private static final int MOST = 128;

  private final Semaphore shared = new Semaphore(SHARED);
  private final ArrayDeque<ByteBuffer> idle = new ArrayDeque<>();

  /// A new account, for good.
  Account account() {
    return new Account();
  }

  private synchronized ByteBuffer obtain() {
    ByteBuffer chunk = idle.pollFirst();
    return chunk == null ? ByteBuffer.allocateDirect(CHUNK) : chunk;
  }

  private synchronized void giveBack(ByteBuffer chunk) {
    idle.addFirst(chunk.clear());
  }

  /// One taker's share.
  final class Account {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private int taken;

    private Account() {}

    /// Takes chunks, all or none.
    ///
    /// @param count at least 1
    /// @return empty where there are not so many now
    List<ByteBuffer> tryTake(int count) {
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

    /// Takes chunks, waits for the first.
    ///
    /// @param count how many at most, at least 1
    /// @param abandoned asked before each wait, and after [#wake]
    /// @return empty where the wait was abandoned
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

    /// Takes back what this account has given.
    void release(List<ByteBuffer> chunks) {
      lock.lock();
      try {
        giveBackLocked(chunks);
        changed.signalAll();
      } finally {
        lock.unlock();
      }
    }

    /// Has those who wait ask again whether to go on.
    void wake() {
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
        chunks.add(obtain());
      }
      return chunks;
    }

    private void giveBackLocked(List<ByteBuffer> chunks) {
      for (ByteBuffer chunk : chunks) {
        giveBack(chunk);
        taken--;
        if (taken > 0) {
          shared.release();
        }
      }
    }
  }
}
