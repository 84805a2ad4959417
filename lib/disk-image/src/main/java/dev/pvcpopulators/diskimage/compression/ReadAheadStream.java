package dev.pvcpopulators.diskimage.compression;

import dev.pvcpopulators.diskimage.BulkInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Reads another stream ahead into a ring buffer on a separate thread, so that two stages of a
/// pipeline run concurrently.
///
/// Only the separate thread, called the read-ahead thread below, reads and closes the other stream.
/// The read-ahead thread closes the other stream when that stream has ended, after a failure, and
/// after [#close]. If the other stream throws an exception, the reader first gets the bytes that
/// were read before the failure, and then the same exception object. The bytes of each read from
/// the other stream are available immediately; they are never held back to fill a buffer.
///
/// [#close] interrupts the read-ahead thread and waits for its end. A stream that blocks and
/// ignores interrupts (a socket, a process's output) needs an `unblock` action that ends a read of
/// that stream, for example by closing the socket. No `unblock` action is needed if an interrupt
/// ends a blocked read, as with another [ReadAheadStream], an interruptible channel or a
/// [java.io.PipedInputStream].
///
/// Read by one thread; [#close] may be called from any thread.
public final class ReadAheadStream extends BulkInputStream {
  /// Default number of buffers in the ring.
  public static final int DEFAULT_BUFFER_COUNT = 4;

  /// Default length of a buffer in bytes. One read of the other stream gets at most this number of
  /// bytes, and the reader takes at most this number of bytes from the ring at once.
  public static final int DEFAULT_BUFFER_LENGTH = 1 << 20;

  private static final Duration JOIN_TIMEOUT = Duration.ofSeconds(10);

  private final InputStream upstream;
  private final Closeable unblock;
  private final Thread thread;
  private final byte[] ring;
  private final int bufferLength;

  // The following fields are written under the lock of this object. `arrived` is the total number
  // of bytes that arrived, and `freed` is the total number of bytes whose room in the ring is free
  // again. The difference is the number of bytes that occupy the ring.
  private long arrived;
  private long freed;
  private boolean ended;
  private volatile boolean closed;
  private @Nullable Throwable failure;

  // Only the reader uses the following fields. `position` and `limit` are the beginning and the end
  // of the bytes that the reader took from the ring, counted from the start of the stream.
  private long position;
  private long limit;
  private boolean atEnd;

  private ReadAheadStream(
      InputStream upstream, String name, Closeable unblock, int bufferCount, int bufferLength) {
    if (bufferCount < 2 || bufferLength < 1) {
      throw new IllegalArgumentException(bufferCount + " buffers of " + bufferLength + " bytes");
    }
    this.upstream = upstream;
    this.unblock = unblock;
    this.bufferLength = bufferLength;
    ring = new byte[Math.multiplyExact(bufferCount, bufferLength)];
    thread = Thread.ofPlatform().name(name).daemon().unstarted(this::run);
  }

  /// Starts reading ahead with the default ring of 4 MiB.
  ///
  /// @param upstream owned by the new stream; if a read of `upstream` blocks, an interrupt must end
  ///   this read
  /// @param name the thread's name
  public static ReadAheadStream start(InputStream upstream, String name) {
    return start(upstream, name, () -> {});
  }

  /// Starts reading ahead from a stream that blocks and ignores interrupts.
  ///
  /// @param unblock an action that ends a blocked read. The first call of [#close] runs this action
  ///   if the read-ahead thread still runs; that thread may be inside a read at this time
  public static ReadAheadStream start(InputStream upstream, String name, Closeable unblock) {
    return start(upstream, name, unblock, DEFAULT_BUFFER_COUNT, DEFAULT_BUFFER_LENGTH);
  }

  /// Starts reading ahead with a ring of the given size.
  ///
  /// @param bufferCount at least 2
  /// @param bufferLength bytes of each buffer, at least 1
  public static ReadAheadStream start(
      InputStream upstream, String name, Closeable unblock, int bufferCount, int bufferLength) {
    ReadAheadStream stream =
        new ReadAheadStream(upstream, name, unblock, bufferCount, bufferLength);
    stream.thread.start();
    return stream;
  }

  // Methods of the read-ahead thread.

  private void run() {
    Throwable thrown = null;
    try (upstream) {
      pump();
    } catch (Throwable e) {
      thrown = e;
    }
    synchronized (this) {
      failure = thrown;
      ended = true;
      notifyAll();
    }
  }

  private void pump() throws IOException, InterruptedException {
    long end = 0;
    int count = 0;
    while (count >= 0 && awaitRoom()) {
      int index = (int) (end % ring.length);
      count = upstream.read(ring, index, Math.min(bufferLength, ring.length - index));
      if (count > 0) {
        end += count;
        handOver(end);
      }
    }
  }

  /// Waits until a whole buffer is free, so that reads stay large.
  private synchronized boolean awaitRoom() throws InterruptedException {
    while (!closed && ring.length - (arrived - freed) < bufferLength) {
      wait();
    }
    return !closed;
  }

  private synchronized void handOver(long end) {
    arrived = end;
    notifyAll();
  }

  // Methods of the reader.

  /// Reads available bytes, possibly fewer than requested; blocks only if no byte is available.
  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, target.length);
    if (length == 0) {
      return 0;
    }
    if (!ready()) {
      return -1;
    }
    int index = (int) (position % ring.length);
    int count = (int) Math.min(Math.min(length, limit - position), ring.length - index);
    System.arraycopy(ring, index, target, offset, count);
    consumed(count);
    return count;
  }

  /// Writes directly from the ring, without copying the bytes to another buffer.
  @Override
  public long transferTo(OutputStream out) throws IOException {
    long count = 0;
    while (ready()) {
      int index = (int) (position % ring.length);
      int length = (int) Math.min(limit - position, ring.length - index);
      out.write(ring, index, length);
      consumed(length);
      count += length;
    }
    return count;
  }

  /// Returns whether there are bytes to read, and blocks until this is known.
  private boolean ready() throws IOException {
    if (atEnd) {
      // After the end, a read returns -1 even if this stream was closed. A stage reads this stream
      // to its end and closes it; then the caller drains the stages to check that no bytes remain.
      return false;
    }
    if (closed) {
      throw closedByUs();
    }
    atEnd = position == limit && !take();
    return !atEnd;
  }

  private void consumed(int count) {
    position += count;
    if (position == limit) {
      giveBack();
    }
  }

  /// Takes the bytes that have arrived, at most a buffer's length. Blocks until bytes have arrived
  /// or the stream has ended.
  ///
  /// @return false at the end
  private synchronized boolean take() throws IOException {
    try {
      while (!closed && !ended && arrived == position) {
        wait();
      }
      if (closed) {
        throw closedByUs();
      }
      if (arrived == position) {
        throwFailure();
        return false;
      }
      limit = Math.min(arrived, position + bufferLength);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      InterruptedIOException interrupted =
          new InterruptedIOException("Interrupted while waiting for " + thread.getName());
      interrupted.initCause(e);
      throw interrupted;
    }
  }

  private static IOException closedByUs() {
    return new IOException("The stream is closed");
  }

  private void throwFailure() throws IOException {
    switch (failure) {
      case null -> {}
      case IOException e -> throw e;
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      case Throwable e -> throw new IOException(thread.getName() + " was interrupted", e);
    }
  }

  private synchronized void giveBack() {
    freed = position;
    notifyAll();
  }

  /// Returns a number of bytes that can be read without blocking. More bytes may have arrived.
  @Override
  public int available() {
    if (position < limit) {
      return (int) (limit - position);
    }
    synchronized (this) {
      return (int) (arrived - position);
    }
  }

  /// Ends a waiting read of this stream with an exception, stops the read-ahead thread, and waits
  /// for the end of that thread. That thread closes the stream that it has read. A later read also
  /// throws an exception, unless an earlier read has found the end. If this method was called
  /// before, it returns immediately.
  ///
  /// @throws IOException if the `unblock` action fails, or if the thread still runs after ten
  ///   seconds
  @Override
  public void close() throws IOException {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      notifyAll();
    }
    try {
      if (thread.isAlive()) {
        unblock.close();
      }
    } finally {
      thread.interrupt();
      join();
    }
  }

  /// Waits for the end of the read-ahead thread, even if the calling thread is interrupted. A stage
  /// of the pipeline may be interrupted while it closes the stage from which it reads. But after
  /// the last stage has been closed, the threads of all stages must have ended.
  private void join() throws IOException {
    long deadline = System.nanoTime() + JOIN_TIMEOUT.toNanos();
    boolean interrupted = false;
    try {
      while (thread.isAlive()) {
        long left = deadline - System.nanoTime();
        if (left <= 0) {
          throw new IOException(thread.getName() + " still reads from " + upstream);
        }
        try {
          var _ = thread.join(Duration.ofNanos(left));
        } catch (InterruptedException _) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
