package dev.pvcpopulators.iscsitarget.block.access;

import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.StampedLock;

/// A lock with a shared and an exclusive mode. A thread that requests the exclusive lock acquires
/// the lock as soon as all threads that requested the lock earlier have released it. With a
/// [StampedLock] alone, a stream of shared holders could starve a thread that requests the
/// exclusive lock. Therefore a request of the shared lock waits until each thread that requested
/// the exclusive lock earlier has released the lock.
public final class Turnstile {
  private final StampedLock lock = new StampedLock();
  private final AtomicInteger wantedAlone = new AtomicInteger();

  /// The thread that has the exclusive lock, or will acquire it next, holds this semaphore. Later
  /// requests of the lock, in either mode, wait in the queue of the semaphore.
  private final Semaphore turn = new Semaphore(1, true);

  /// Acquires the shared lock.
  ///
  /// @return the stamp for [#leave]
  public long enter() {
    if (wantedAlone.get() != 0) {
      turn.acquireUninterruptibly();
      turn.release();
    }
    return lock.readLock();
  }

  /// Releases the shared lock.
  public void leave(long stamp) {
    lock.unlockRead(stamp);
  }

  /// Returns whether a thread holds the lock in either mode. If no thread holds the lock, each
  /// later holder sees the volatile writes that the calling thread made before the call.
  public boolean held() {
    return lock.isReadLocked() || lock.isWriteLocked();
  }

  /// Acquires the exclusive lock.
  ///
  /// @return the stamp for [#leaveAlone]
  public long enterAlone() {
    wantedAlone.incrementAndGet();
    turn.acquireUninterruptibly();
    return lock.writeLock();
  }

  /// Releases the exclusive lock.
  public void leaveAlone(long stamp) {
    lock.unlockWrite(stamp);
    turn.release();
    wantedAlone.decrementAndGet();
  }
}
