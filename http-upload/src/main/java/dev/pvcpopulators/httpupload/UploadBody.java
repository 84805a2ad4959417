package dev.pvcpopulators.httpupload;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// The bytes of one upload between the connections that bring them and the import that reads them.
///
/// One or several connections, one after the other, append chunks ([#append]); one thread reads. A
/// connection that was cut leaves the stream open: reading waits until another goes on from
/// [#received], or until somebody aborts. Only the connection that was attached last can append, so
/// that one which was given up for dead and is not can do no harm.
///
/// Between the two lie at most [#HIGH_WATER] bytes and the chunk that crossed that mark; past it
/// the connection is told to pause, and to go on below [#LOW_WATER]. Each chunk counts for
/// [#CHUNK_COST] bytes more than it holds: a client that sends single bytes must not fill the
/// memory with the objects around them.
///
/// A wait for bytes that lasts longer than the resume window ends the stream with
/// [UploadEndedException].
final class UploadBody extends InputStream {
  static final long HIGH_WATER = 4L << 20;
  static final long LOW_WATER = 1L << 20;
  private static final long GATHERING_NANOS = 200_000;

  /// About what a chunk's objects take, in bytes.
  static final long CHUNK_COST = 256;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition arrived = lock.newCondition();
  private final ArrayDeque<ByteBuffer> chunks = new ArrayDeque<>();
  private long queued;
  private long received;
  private boolean complete;
  private @Nullable IOException aborted;
  private @Nullable Object source;
  private @Nullable Runnable resume;

  private final Duration resumeWindow;
  private @Nullable ByteBuffer current;

  /// @param resumeWindow how long the reader waits for the next byte
  UploadBody(Duration resumeWindow) {
    this.resumeWindow = resumeWindow;
  }

  /// Makes a connection the only one that can append; null makes it none.
  ///
  /// @return bytes appended so far, a number that now only that connection can change
  long attach(@Nullable Object connection) {
    lock.lock();
    try {
      source = connection;
      resume = null;
      return received;
    } finally {
      lock.unlock();
    }
  }

  /// Whether the connection has to wait before it brings its first chunk: what others left may
  /// still fill the queue.
  ///
  /// @param resume as in [#append]
  boolean full(Object connection, Runnable resume) {
    lock.lock();
    try {
      return connection.equals(source) && aborted == null && pauses(resume);
    } finally {
      lock.unlock();
    }
  }

  /// Appends a chunk; never blocks. Nothing happens where the connection is not the attached one,
  /// or after [#abort].
  ///
  /// @param chunk what remains in it is taken over: nobody changes it any more
  /// @param resume run once, on any thread, when the connection may go on; kept only when this
  ///   returns true
  /// @return true when the connection has to pause
  boolean append(Object connection, ByteBuffer chunk, Runnable resume) {
    int length = chunk.remaining();
    lock.lock();
    try {
      if (aborted != null || length == 0 || !connection.equals(source)) {
        return false;
      }
      chunks.add(chunk);
      queued += length + CHUNK_COST;
      received += length;
      arrived.signal();
      return pauses(resume);
    } finally {
      lock.unlock();
    }
  }

  private boolean pauses(Runnable resume) {
    if (queued <= HIGH_WATER) {
      return false;
    }
    this.resume = resume;
    return true;
  }

  /// Says that every byte was appended: the reader sees the end of the stream after the last one.
  void complete() {
    lock.lock();
    try {
      complete = true;
      arrived.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /// Ends the stream with an error for the reader; what is queued is dropped. The first call
  /// counts.
  void abort(IOException reason) {
    Runnable waiting;
    lock.lock();
    try {
      if (aborted == null) {
        aborted = reason;
      }
      chunks.clear();
      queued = 0;
      waiting = takeResume();
      arrived.signalAll();
    } finally {
      lock.unlock();
    }
    if (waiting != null) {
      waiting.run();
    }
  }

  /// True once the reader gets nothing more but an error.
  boolean aborted() {
    lock.lock();
    try {
      return aborted != null;
    } finally {
      lock.unlock();
    }
  }

  /// Bytes appended so far, over all connections.
  long received() {
    lock.lock();
    try {
      return received;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, target.length);
    if (length == 0) {
      return 0;
    }
    int filled = 0;
    while (filled < length) {
      ByteBuffer chunk = current;
      if (chunk == null) {
        // What is at hand is given at once; only an empty-handed reader waits.
        chunk = next(filled == 0);
        if (chunk == null) {
          return filled == 0 ? -1 : filled;
        }
        current = chunk;
      }
      int count = Math.min(length - filled, chunk.remaining());
      chunk.get(target, offset + filled, count);
      filled += count;
      if (!chunk.hasRemaining()) {
        current = null;
      }
    }
    return filled;
  }

  /// Gives the chunks as they are, without a copy; waits for each of them, up to the end.
  @Override
  public long transferTo(OutputStream out) throws IOException {
    long count = 0;
    ByteBuffer chunk = current;
    current = null;
    while (chunk != null || (chunk = next(true)) != null) {
      int length = chunk.remaining();
      if (chunk.hasArray()) {
        out.write(chunk.array(), chunk.arrayOffset() + chunk.position(), length);
      } else {
        byte[] copy = new byte[length];
        chunk.get(copy);
        out.write(copy, 0, length);
      }
      count += length;
      chunk = null;
    }
    return count;
  }

  /// The next chunk; null at the end of the stream, or where there is none at hand and the caller
  /// would not wait.
  private @Nullable ByteBuffer next(boolean wait) throws IOException {
    ByteBuffer chunk;
    Runnable waiting = null;
    long patience = resumeWindow.toNanos();
    boolean paused = false;
    lock.lock();
    try {
      while (true) {
        if (aborted != null) {
          throw aborted;
        }
        chunk = chunks.poll();
        if (chunk != null || complete || !wait) {
          break;
        }
        // Looked at last, so that neither a chunk nor a reason that came meanwhile is lost.
        if (patience <= 0) {
          aborted = UploadEndedException.notResumed(received, resumeWindow);
          continue;
        }
        if (!paused) {
          paused = true;
          pause();
          continue;
        }
        patience = arrived.awaitNanos(patience);
      }
      if (chunk != null) {
        queued -= chunk.remaining() + CHUNK_COST;
        if (queued < LOW_WATER) {
          waiting = takeResume();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      InterruptedIOException interrupted =
          new InterruptedIOException("Interrupted while waiting for the upload to go on");
      interrupted.initCause(e);
      throw interrupted;
    } finally {
      lock.unlock();
    }
    if (waiting != null) {
      waiting.run();
    }
    return chunk;
  }

  /// Lets chunks gather before the reader asks to be woken by the next one: over TLS they are 16
  /// KiB each, and being woken costs more than reading one.
  private void pause() {
    lock.unlock();
    try {
      LockSupport.parkNanos(GATHERING_NANOS);
    } finally {
      lock.lock();
    }
  }

  private @Nullable Runnable takeResume() {
    Runnable waiting = resume;
    resume = null;
    return waiting;
  }
}
