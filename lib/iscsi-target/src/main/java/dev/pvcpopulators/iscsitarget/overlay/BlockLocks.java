package dev.pvcpopulators.iscsitarget.overlay;

import java.util.concurrent.locks.ReentrantLock;

/// Locks for ranges of blocks. Two threads cannot hold ranges with a common block at the same time.
/// Ranges without a common block may also exclude each other, because several blocks share a lock.
///
/// A thread must not lock a second range while it holds another range, because this can cause a
/// deadlock.
final class BlockLocks {
  /// The binary logarithm of the number of adjacent blocks that share a lock. These blocks cover
  /// one MiB of the disk.
  private static final int STRIPE_BITS = 8;

  private final ReentrantLock[] locks = new ReentrantLock[Long.SIZE];

  BlockLocks() {
    for (int i = 0; i < locks.length; i++) {
      locks[i] = new ReentrantLock();
    }
  }

  /// Locks a range of blocks.
  ///
  /// @return a mask of the locks that were taken, with one bit for each lock; the caller passes it
  ///   to [#unlock]
  long lock(long from, long to) {
    long taken = stripes(from, to);
    // All threads take the locks in the same order, which prevents deadlocks.
    for (long rest = taken; rest != 0; rest &= rest - 1) {
      locks[Long.numberOfTrailingZeros(rest)].lock();
    }
    return taken;
  }

  void unlock(long taken) {
    for (long rest = taken; rest != 0; rest &= rest - 1) {
      locks[Long.numberOfTrailingZeros(rest)].unlock();
    }
  }

  private long stripes(long from, long to) {
    long first = from >> STRIPE_BITS;
    long last = (to - 1) >> STRIPE_BITS;
    if (last - first >= locks.length) {
      return -1L;
    }
    long stripes = 0;
    for (long stripe = first; stripe <= last; stripe++) {
      stripes |= 1L << stripe;
    }
    return stripes;
  }
}
