package dev.pvcpopulators.iscsitarget.unit;

import dev.pvcpopulators.iscsitarget.medium.Medium;
import dev.pvcpopulators.iscsitarget.medium.NotArrivedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A medium in memory. Tests can withhold its data and make it fail.
final class MemoryMedium implements Medium {
  private final byte[] bytes;
  private @Nullable CompletableFuture<Void> arrival;
  private @Nullable Supplier<Exception> failure;
  private @Nullable IOException flushFailure;
  private volatile Runnable beforeWrite = () -> {};
  private volatile Runnable beforeFlush = () -> {};
  private int flushes;
  private boolean closed;

  MemoryMedium(int length) {
    this.bytes = new byte[length];
  }

  /// Withholds all data until the future completes.
  synchronized void arrivesWith(CompletableFuture<Void> future) {
    arrival = future;
  }

  /// Makes every later read and write fail.
  synchronized void failWith(Supplier<Exception> what) {
    failure = what;
  }

  /// Sets an action that runs at the beginning of each write.
  void beforeWrite(Runnable action) {
    beforeWrite = action;
  }

  /// Sets an action that runs at the beginning of each flush.
  void beforeFlush(Runnable action) {
    beforeFlush = action;
  }

  /// Makes the next flush fail.
  synchronized void failNextFlush(IOException with) {
    flushFailure = with;
  }

  synchronized int flushes() {
    return flushes;
  }

  synchronized boolean closed() {
    return closed;
  }

  byte[] bytes() {
    return bytes;
  }

  @Override
  public long length() {
    return bytes.length;
  }

  @Override
  public boolean writable() {
    return true;
  }

  @Override
  public synchronized @Nullable CompletableFuture<Void> arrival(
      long offset, long length, Access access) {
    CompletableFuture<Void> now = arrival;
    return now == null || now.isDone() ? null : now;
  }

  private void check(long offset, long length) throws IOException {
    if (arrival(offset, length, Access.READ) != null) {
      throw new NotArrivedException(offset, length);
    }
    Supplier<Exception> failing = failure;
    if (failing != null) {
      switch (failing.get()) {
        case IOException e -> throw e;
        case RuntimeException e -> throw e;
        case Exception e -> throw new IllegalStateException(e);
      }
    }
  }

  @Override
  public synchronized void read(long offset, ByteBuffer into) throws IOException {
    check(offset, into.remaining());
    into.put(bytes, (int) offset, into.remaining());
  }

  @Override
  public void write(long offset, ByteBuffer from) throws IOException {
    beforeWrite.run();
    store(offset, from);
  }

  private synchronized void store(long offset, ByteBuffer from) throws IOException {
    check(offset, from.remaining());
    from.get(bytes, (int) offset, from.remaining());
  }

  @Override
  public synchronized void zero(long offset, long length) {
    java.util.Arrays.fill(bytes, (int) offset, (int) (offset + length), (byte) 0);
  }

  @Override
  public void deallocate(long offset, long length) {
    zero(offset, length);
  }

  @Override
  public Extent extent(long offset) {
    return new Extent(bytes.length - offset, true);
  }

  @Override
  public void flush() throws IOException {
    beforeFlush.run();
    flushed();
  }

  private synchronized void flushed() throws IOException {
    IOException failing = flushFailure;
    if (failing != null) {
      flushFailure = null;
      throw failing;
    }
    flushes++;
  }

  @Override
  public synchronized void close() {
    closed = true;
  }
}
