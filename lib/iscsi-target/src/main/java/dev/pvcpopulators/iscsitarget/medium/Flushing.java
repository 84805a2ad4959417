package dev.pvcpopulators.iscsitarget.medium;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// Runs the flushes of one file, or of several files that belong together. After one flush has
/// failed, all later flushes fail.
///
/// If Linux cannot write cached bytes to the storage, it reports this failure only once, and then
/// treats the bytes as written (fsync(2), "EIO"). So the next fsync falsely reports that all data
/// is on stable storage. After the file is reopened, a flush is reliable again, but only for data
/// that is written afterwards.
///
/// At most one flush runs at a time. If two threads flushed at the same time, the kernel could
/// report a failure to one thread only. The flush of the other thread could then succeed before the
/// failure is recorded.
public final class Flushing {
  private final ReentrantLock lock = new ReentrantLock();
  private final AtomicLong begun = new AtomicLong();

  // Guarded by the lock.
  private long lastSucceeded;
  private @Nullable IOException lost;

  /// An action that writes bytes to stable storage.
  @FunctionalInterface
  public interface Flush {
    void run() throws IOException;
  }

  /// Runs a flush; fails if an earlier flush has failed. If the flush of another call began after
  /// this call began, and has succeeded, this method does not run `flush`: the other flush has also
  /// flushed all bytes that were written before this call.
  ///
  /// @param flush an action that flushes the same files in each call
  /// @throws IOException if this flush fails, or an earlier flush has failed
  public void run(Flush flush) throws IOException {
    long earlier = begun.get();
    lock.lock();
    try {
      IOException before = lost;
      if (before != null) {
        throw new IOException(
            "An earlier flush failed, so the content of the storage is unknown: "
                + before.getMessage(),
            before);
      }
      if (lastSucceeded <= earlier) {
        next(flush);
      }
    } finally {
      lock.unlock();
    }
  }

  private void next(Flush flush) throws IOException {
    long number = begun.incrementAndGet();
    try {
      flush.run();
      lastSucceeded = number;
    } catch (IOException e) {
      lost = e;
      throw e;
    }
  }
}
