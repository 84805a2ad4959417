package dev.pvcpopulators.http;

import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.apache.http.client.methods.HttpUriRequest;
import org.jspecify.annotations.Nullable;

/// One download with all its requests and pauses. Any thread can cancel it.
public final class Transfer implements Closeable {
  private final Consumer<Transfer> whenClosed;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition ended = lock.newCondition();

  // Guarded by the lock.
  private boolean closed;
  private @Nullable HttpUriRequest running;

  /// Creates an open transfer.
  ///
  /// @param whenClosed called once, when the transfer is closed
  public Transfer(Consumer<Transfer> whenClosed) {
    this.whenClosed = whenClosed;
  }

  /// Registers the request that is about to run; closing the transfer aborts it.
  void running(HttpUriRequest request) throws IOException {
    lock.lock();
    try {
      requireOpen();
      running = request;
    } finally {
      lock.unlock();
    }
  }

  /// Pauses the calling thread.
  ///
  /// @throws IOException if the transfer is closed meanwhile, or the thread is interrupted
  public void pause(Duration duration) throws IOException {
    long nanos = duration.toNanos();
    lock.lock();
    try {
      requireOpen();
      while (nanos > 0) {
        nanos = ended.awaitNanos(nanos);
        requireOpen();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      InterruptedIOException interrupted =
          new InterruptedIOException("Interrupted while waiting for a retry");
      interrupted.initCause(e);
      throw interrupted;
    } finally {
      lock.unlock();
    }
  }

  /// Throws if the transfer must end.
  ///
  /// @throws IOException if it is closed, or the thread is interrupted
  public void check() throws IOException {
    lock.lock();
    try {
      requireOpen();
    } finally {
      lock.unlock();
    }
    if (Thread.currentThread().isInterrupted()) {
      throw new InterruptedIOException("Interrupted during a download");
    }
  }

  private void requireOpen() throws IOException {
    if (closed) {
      throw new IOException("The download was closed");
    }
  }

  @Override
  public void close() {
    HttpUriRequest request;
    lock.lock();
    try {
      if (closed) {
        return;
      }
      closed = true;
      request = running;
      running = null;
      ended.signalAll();
    } finally {
      lock.unlock();
    }
    if (request != null) {
      request.abort();
    }
    whenClosed.accept(this);
  }
}
