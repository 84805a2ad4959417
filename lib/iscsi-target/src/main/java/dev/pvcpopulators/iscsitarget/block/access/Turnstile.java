package dev.pvcpopulators.iscsitarget.block.access;

import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.StampedLock;

/// A lock for many holders at once or for one alone. In contrast to [StampedLock], where a stream
/// of shared holders can starve an exclusive one, an exclusive holder enters when the shared
/// holders before it have left. This costs shared holders one more check.
public final class Turnstile {
  private final StampedLock lock = new StampedLock();
  private final AtomicInteger wantedAlone = new AtomicInteger();

  /// Held by the thread that has the lock alone or is the next to have it; the others queue here
  /// meanwhile.
  private final Semaphore turn = new Semaphore(1, true);

  /// Acquires the lock together with others.
  ///
  /// @return the stamp for [#leave]
  public long enter() {
    if (wantedAlone.get() != 0) {
      turn.acquireUninterruptibly();
      turn.release();
    }
    return lock.readLock();
  }

  /// Releases what [#enter] acquired.
  public void leave(long stamp) {
    lock.unlockRead(stamp);
  }

  /// Acquires the lock alone.
  ///
  /// @return the stamp for [#leaveAlone]
  public long enterAlone() {
    wantedAlone.incrementAndGet();
    turn.acquireUninterruptibly();
    return lock.writeLock();
  }

  /// Releases what [#enterAlone] acquired.
  public void leaveAlone(long stamp) {
    lock.unlockWrite(stamp);
    turn.release();
    wantedAlone.decrementAndGet();
  }
}
