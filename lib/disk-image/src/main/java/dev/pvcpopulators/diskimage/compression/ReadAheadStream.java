package dev.pvcpopulators.diskimage.compression;

import dev.pvcpopulators.diskimage.BulkInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// Reads another stream ahead, on a thread of its own, into a ring: this joins two stages of a
/// pipeline so that both work at once.
///
/// The other stream is owned and only ever used by that thread, which also closes it: at its end,
/// after its failure, and after [#close]. Its failures reach the reader as they were thrown, the
/// object itself, behind the bytes that were read before. What one read gave can be taken at once;
/// it is never held back to fill a buffer.
///
/// [#close] interrupts the thread and waits for it. A stream that blocks and heeds no interrupt (a
/// socket, a process's output) needs an `unblock` action that ends its read, for example closing
/// the socket; another [ReadAheadStream], a channel or a pipe needs none.
///
/// For one reading thread; [#close] may come from any.
public final class ReadAheadStream extends BulkInputStream {
  /// Buffers that the ring has room for by default.
  public static final int DEFAULT_BUFFER_COUNT = 4;

  /// Bytes of a buffer by default: the most that is read, or taken, in one go.
  public static final int DEFAULT_BUFFER_LENGTH = 1 << 20;

  private static final Duration JOIN_TIMEOUT = Duration.ofSeconds(10);

  private final InputStream upstream;
  private final Closeable unblock;
  private final Thread thread;
  private final byte[] ring;
  private final int bufferLength;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition arrivedOrEnded = lock.newCondition();
  private final Condition freedOrClosed = lock.newCondition();

  // Guarded by the lock. Bytes that ever arrived and that were ever given back; their difference is
  // what the ring holds.
  private long arrived;
  private long freed;
  private boolean ended;
  private volatile boolean closed;
  private @Nullable Throwable failure;

  // The reader's own: the part of the ring that it took, as counts like the above.
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
  /// @param upstream owned from now on; it must heed interrupts where it blocks
  /// @param name the thread's name
  public static ReadAheadStream start(InputStream upstream, String name) {
    return start(upstream, name, () -> {});
  }

  /// As above, for a stream that blocks and heeds no interrupt.
  ///
  /// @param unblock called once by [#close] from its caller's thread, while a read may be going on
  public static ReadAheadStream start(InputStream upstream, String name, Closeable unblock) {
    return start(upstream, name, unblock, DEFAULT_BUFFER_COUNT, DEFAULT_BUFFER_LENGTH);
  }

  /// As above, with a ring of another size.
  ///
  /// @param bufferCount at least 2
  /// @param bufferLength bytes of each, at least 1
  public static ReadAheadStream start(
      InputStream upstream, String name, Closeable unblock, int bufferCount, int bufferLength) {
    ReadAheadStream stream =
        new ReadAheadStream(upstream, name, unblock, bufferCount, bufferLength);
    stream.thread.start();
    return stream;
  }

  // The thread that reads ahead.

  private void run() {
    Throwable thrown = null;
    try (upstream) {
      pump();
    } catch (Throwable e) {
      thrown = e;
    }
    lock.lock();
    try {
      failure = thrown;
      ended = true;
      arrivedOrEnded.signalAll();
    } finally {
      lock.unlock();
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
  private boolean awaitRoom() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (!closed && ring.length - (arrived - freed) < bufferLength) {
        freedOrClosed.await();
      }
      return !closed;
    } finally {
      lock.unlock();
    }
  }

  private void handOver(long end) {
    lock.lock();
    try {
      arrived = end;
      arrivedOrEnded.signalAll();
    } finally {
      lock.unlock();
    }
  }

  // The reader.

  /// Gives what is there, which may be less than asked for, and waits only where nothing is.
  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, target.length);
    if (length == 0) {
      return 0;
    }
    if (atEnd) {
      // Also once closed: a stage that has read this one to its end closes it, and who drains the
      // stages afterwards only asks whether anything was left.
      return -1;
    }
    if (closed) {
      throw closedByUs();
    }
    if (position == limit && !take()) {
      atEnd = true;
      return -1;
    }
    int index = (int) (position % ring.length);
    int count = (int) Math.min(Math.min(length, limit - position), ring.length - index);
    System.arraycopy(ring, index, target, offset, count);
    position += count;
    if (position == limit) {
      giveBack();
    }
    return count;
  }

  /// Gives the buffers as they are, without a copy.
  @Override
  public long transferTo(OutputStream out) throws IOException {
    long count = 0;
    while (!atEnd) {
      if (closed) {
        throw closedByUs();
      }
      if (position == limit && !take()) {
        atEnd = true;
        break;
      }
      int index = (int) (position % ring.length);
      int length = (int) Math.min(limit - position, ring.length - index);
      out.write(ring, index, length);
      position += length;
      count += length;
      if (position == limit) {
        giveBack();
      }
    }
    return count;
  }

  /// Takes what has arrived, at most a buffer's length, waiting for it.
  ///
  /// @return false at the end
  private boolean take() throws IOException {
    lock.lock();
    try {
      while (!closed && !ended && arrived == position) {
        arrivedOrEnded.await();
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
    } finally {
      lock.unlock();
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

  private void giveBack() {
    lock.lock();
    try {
      freed = position;
      freedOrClosed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /// Bytes that have arrived and can be read without waiting.
  @Override
  public int available() {
    if (position < limit) {
      return (int) (limit - position);
    }
    lock.lock();
    try {
      return (int) (arrived - position);
    } finally {
      lock.unlock();
    }
  }

  /// Ends both sides and waits for the thread, which closes the stream beneath.
  ///
  /// @throws IOException when the unblocking action fails, or when the thread is still blocked
  ///   after ten seconds
  @Override
  public void close() throws IOException {
    lock.lock();
    try {
      if (closed) {
        return;
      }
      closed = true;
      arrivedOrEnded.signalAll();
      freedOrClosed.signalAll();
    } finally {
      lock.unlock();
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

  /// Waits also when interrupted: the interrupt that ends a stage reaches it while it closes the
  /// one beneath, and whoever closed the last one relies on all of them having ended.
  private void join() throws IOException {
    long deadline = System.nanoTime() + JOIN_TIMEOUT.toNanos();
    boolean interrupted = false;
    try {
      while (thread.isAlive()) {
        long left = deadline - System.nanoTime();
        if (left <= 0) {
          throw new IOException(thread.getName() + " still reads from " + upstream);
        }
        interrupted |= joinedInterrupted(left);
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private boolean joinedInterrupted(long nanos) {
    try {
      var _ = thread.join(Duration.ofNanos(nanos));
      return false;
    } catch (InterruptedException e) {
      return true;
    }
  }
}
