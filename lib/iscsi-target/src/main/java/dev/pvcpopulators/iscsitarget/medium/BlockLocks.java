package dev.pvcpopulators.iscsitarget.medium;

import java.util.concurrent.locks.ReentrantLock;

/// Locks for ranges of blocks: ranges that share a block exclude each other, ranges far apart
/// mostly do not.
///
/// Whoever takes a second range while holding one may wait for ever.
final class BlockLocks {
  /// Blocks that share a lock with their neighbours: one MiB of the disk.
  private static final int STRIPE_BITS = 8;

  private final ReentrantLock[] locks = new ReentrantLock[Long.SIZE];

  BlockLocks() {
    for (int i = 0; i < locks.length; i++) {
      locks[i] = new ReentrantLock();
    }
  }

  /// Waits for a range of blocks.
  ///
  /// @return what was taken, for [#unlock]
  long lock(long from, long to) {
    long taken = stripes(from, to);
    // Always in the same order, so that no two wait for each other.
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
