package dev.pvcpopulators.http;

import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.http.client.methods.HttpUriRequest;
import org.jspecify.annotations.Nullable;

/// One download with all its requests and pauses. Any thread can cancel the download with [#close].
public final class Transfer implements Closeable {
  private final Consumer<Transfer> whenClosed;

  // Guarded by this object.
  private boolean closed;
  private @Nullable HttpUriRequest running;

  /// Creates an open transfer.
  ///
  /// @param whenClosed a function that is called once, when the transfer is closed
  public Transfer(Consumer<Transfer> whenClosed) {
    this.whenClosed = whenClosed;
  }

  /// Registers the request that is about to run; closing the transfer aborts the request.
  synchronized void running(HttpUriRequest request) throws IOException {
    requireOpen();
    running = request;
  }

  /// Pauses the calling thread.
  ///
  /// @throws IOException if the transfer is closed before or during the pause, or if the thread is
  ///   interrupted
  public synchronized void pause(Duration duration) throws IOException {
    long end = System.nanoTime() + duration.toNanos();
    requireOpen();
    try {
      for (long left = duration.toNanos(); left > 0; left = end - System.nanoTime()) {
        TimeUnit.NANOSECONDS.timedWait(this, left);
        requireOpen();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      InterruptedIOException interrupted =
          new InterruptedIOException("Interrupted while waiting for a retry");
      interrupted.initCause(e);
      throw interrupted;
    }
  }

  /// Throws if the transfer must end.
  ///
  /// @throws IOException if the transfer is closed, or the thread is interrupted
  public synchronized void check() throws IOException {
    requireOpen();
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
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      request = running;
      running = null;
      notifyAll();
    }
    if (request != null) {
      request.abort();
    }
    whenClosed.accept(this);
  }
}
