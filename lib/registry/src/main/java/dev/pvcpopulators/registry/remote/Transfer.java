package dev.pvcpopulators.registry.remote;

import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.apache.http.client.methods.HttpUriRequest;
import org.jspecify.annotations.Nullable;

/// One thread's work at registries, with all its requests and pauses, which any thread can end.
final class Transfer implements Closeable {
  private final Consumer<Transfer> whenClosed;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition ended = lock.newCondition();

  // Guarded by the lock.
  private boolean closed;
  private @Nullable HttpUriRequest running;

  /// @param whenClosed hears once of the end
  Transfer(Consumer<Transfer> whenClosed) {
    this.whenClosed = whenClosed;
  }

  /// Says which request the thread is about to make, so that it can be aborted.
  void running(HttpUriRequest request) throws IOException {
    lock.lock();
    try {
      requireOpen();
      running = request;
    } finally {
      lock.unlock();
    }
  }

  /// Waits.
  ///
  /// @throws IOException where the transfer is closed meanwhile or the thread is interrupted
  void pause(Duration duration) throws IOException {
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
          new InterruptedIOException("Interrupted while waiting for a registry");
      interrupted.initCause(e);
      throw interrupted;
    } finally {
      lock.unlock();
    }
  }

  /// @throws IOException where nothing may go on: closed, or the thread is interrupted
  void check() throws IOException {
    lock.lock();
    try {
      requireOpen();
    } finally {
      lock.unlock();
    }
    if (Thread.currentThread().isInterrupted()) {
      throw new InterruptedIOException("Interrupted while reading from a registry");
    }
  }

  private void requireOpen() throws IOException {
    if (closed) {
      throw new IOException("The transfer from the registry was closed");
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
