package dev.pvcpopulators.iscsitarget.block;

import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.StampedLock;

/// A lock for many at once or for one alone. Many cost it one look more than [StampedLock], which
/// lets those in who keep coming for as long as they come: here whoever wants it alone has it when
/// those are done who were there before.
final class Turnstile {
  private final StampedLock lock = new StampedLock();
  private final AtomicInteger wantedAlone = new AtomicInteger();

  /// Held by who has the lock alone or is the next to have it; the others queue up here then.
  private final Semaphore turn = new Semaphore(1, true);

  /// Has it together with others.
  ///
  /// @return for [#leave]
  long enter() {
    if (wantedAlone.get() != 0) {
      turn.acquireUninterruptibly();
      turn.release();
    }
    return lock.readLock();
  }

  /// Gives back what [#enter] gave.
  void leave(long stamp) {
    lock.unlockRead(stamp);
  }

  /// Has it alone.
  ///
  /// @return for [#leaveAlone]
  long enterAlone() {
    wantedAlone.incrementAndGet();
    turn.acquireUninterruptibly();
    return lock.writeLock();
  }

  /// Gives back what [#enterAlone] gave.
  void leaveAlone(long stamp) {
    lock.unlockWrite(stamp);
    turn.release();
    wantedAlone.decrementAndGet();
  }
}
