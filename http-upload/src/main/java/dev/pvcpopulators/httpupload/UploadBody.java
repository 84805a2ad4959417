package dev.pvcpopulators.httpupload;

import dev.pvcpopulators.diskimage.BulkInputStream;
import dev.pvcpopulators.kit.connection.BodyArrays;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A bounded queue of upload chunks that survives a reconnect.
///
/// Several connections append chunks ([#append]), one connection after the other. One thread reads.
/// If a connection is lost, the stream stays open: the reader waits until another connection
/// continues at [#received], until [#abort], or until the resume window ends. Only the attached
/// connection can append; chunks of a replaced or detached connection are ignored.
///
/// Backpressure: if the queue exceeds the high-water mark [#HIGH_WATER], the connection must pause
/// until the queue is below [#LOW_WATER]. The queue therefore holds at most [#HIGH_WATER] bytes and
/// one more chunk. Each chunk counts as its length plus [#CHUNK_COST] bytes, so that a client that
/// sends single bytes cannot fill the memory with objects.
///
/// If the reader waits for bytes longer than the resume window, the stream ends with
/// [UploadEndedException].
final class UploadBody extends BulkInputStream {
  static final long HIGH_WATER = 4L << 20;
  static final long LOW_WATER = 1L << 20;

  /// The time in nanoseconds for which the reader waits after the queue has become empty, so that
  /// it wakes up less often. At 2 GB/s, half of [#HIGH_WATER] arrives in this time.
  private static final long GATHERING_NANOS = 1_000_000;

  /// Approximate overhead of a chunk's objects, in bytes.
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

  /// Creates an empty queue.
  ///
  /// @param resumeWindow the maximum time for which the reader waits for the next byte
  UploadBody(Duration resumeWindow) {
    this.resumeWindow = resumeWindow;
  }

  /// Sets the only connection that can append; null for none.
  ///
  /// @return the number of bytes appended so far, over all connections
  long attach(@Nullable Object connection) {
    return locked(() -> {
      source = connection;
      resume = null;
      return received;
    });
  }

  /// Returns whether the connection must pause before its first chunk, because chunks of earlier
  /// connections still fill the queue. Returns false after [#abort], or if the connection is not
  /// the attached one.
  ///
  /// @param resume runs on any thread when the connection may continue; runs at most once, and only
  ///   if this method returns true and the connection stays attached
  boolean full(Object connection, Runnable resume) {
    return locked(() -> connection.equals(source) && aborted == null && pauses(resume));
  }

  /// Appends a chunk without blocking. Ignores the chunk after [#abort], or if the connection is
  /// not the attached one.
  ///
  /// @param chunk the bytes from its position to its limit; afterwards, this queue owns the chunk
  /// @param resume runs on any thread when the connection may continue; runs at most once, and only
  ///   if this method returns true and the connection stays attached
  /// @return whether the connection must pause
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

  /// Marks the end of the stream. Must be called after the last byte was appended.
  void complete() {
    lock.lock();
    try {
      complete = true;
      arrived.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /// Ends the stream with an exception for the reader, and discards the queue. Only the first call
  /// has an effect.
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

  /// Returns whether the stream was ended with an exception, by [#abort] or by the end of the
  /// resume window.
  boolean aborted() {
    return locked(() -> aborted != null);
  }

  /// Returns the number of bytes appended so far, over all connections.
  long received() {
    return locked(() -> received);
  }

  private <T> T locked(Supplier<T> step) {
    lock.lock();
    try {
      return step.get();
    } finally {
      lock.unlock();
    }
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
        // Waits only if this call has read no byte yet.
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
        giveBack(chunk);
      }
    }
    return filled;
  }

  /// Waits for each chunk and writes the chunk to `out`. Copies only chunks that have no array.
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
      giveBack(chunk);
      chunk = null;
    }
    return count;
  }

  private static void giveBack(ByteBuffer chunk) {
    if (chunk.hasArray() && chunk.arrayOffset() == 0) {
      BodyArrays.giveBack(chunk.array());
    }
  }

  /// Returns the next chunk; null at the end of the stream, or if the queue is empty and `wait` is
  /// false.
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
        // The time-out is checked after `aborted` and the queue, so that a chunk or an abort that
        // arrives during the wait is not lost.
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
          new InterruptedIOException("Interrupted while waiting for the next bytes of the upload");
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

  /// Waits for [#GATHERING_NANOS] without the lock, so that several chunks accumulate and the
  /// reader wakes up less often.
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
