package dev.pvcpopulators.iscsitarget.session;

import dev.pvcpopulators.iscsitarget.medium.Medium;
import dev.pvcpopulators.iscsitarget.medium.NotArrivedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// A medium in memory. Tests can withhold or break a part of the medium, and can block flushes.
final class MemoryMedium implements Medium {
  private final byte[] bytes;
  private volatile long missingFrom = Long.MAX_VALUE;
  private volatile CompletableFuture<Void> missing = new CompletableFuture<>();
  private volatile long brokenFrom = Long.MAX_VALUE;
  private volatile CountDownLatch flushes = new CountDownLatch(0);
  private final AtomicInteger failures = new AtomicInteger();
  private final CountDownLatch asked = new CountDownLatch(1);
  private final CountDownLatch flushing = new CountDownLatch(1);

  /// Creates a medium with random bytes.
  MemoryMedium(int length, long seed) {
    bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
  }

  /// Returns the content itself, not a copy.
  byte[] bytes() {
    return bytes;
  }

  /// Withholds the data from an offset on.
  void withhold(long offset) {
    missing = new CompletableFuture<>();
    missingFrom = offset;
  }

  /// Fails all waits for withheld data.
  void keepAway(IOException reason) {
    missing.completeExceptionally(reason);
  }

  /// Delivers the withheld data.
  void deliver() {
    missingFrom = Long.MAX_VALUE;
    missing.complete(null);
  }

  /// Waits until a command needs withheld data.
  void awaitAsked() throws InterruptedException {
    asked.await();
  }

  /// Makes reads fail from an offset on.
  void breakFrom(long offset) {
    brokenFrom = offset;
  }

  /// Waits until a flush starts.
  void awaitFlush() throws InterruptedException {
    flushing.await();
  }

  /// Blocks flushes until a latch opens.
  void holdFlushes(CountDownLatch latch) {
    flushes = latch;
  }

  /// Makes the next `times` reads and flushes fail with an [Error].
  void failBadly(int times) {
    failures.set(times);
  }

  private void checkSound() {
    if (failures.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
      throw new InternalError("as the test wants it");
    }
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
  public @Nullable CompletableFuture<Void> arrival(long offset, long length, Access access) {
    if (offset + length <= missingFrom) {
      return null;
    }
    asked.countDown();
    return missing.copy();
  }

  @Override
  public void read(long offset, ByteBuffer into) throws IOException {
    checkSound();
    long end = offset + into.remaining();
    if (end > missingFrom) {
      throw new NotArrivedException(offset, into.remaining());
    }
    if (end > brokenFrom) {
      throw new IOException("Broken from " + brokenFrom);
    }
    into.put(bytes, (int) offset, into.remaining());
  }

  @Override
  public synchronized void write(long offset, ByteBuffer from) {
    from.get(bytes, (int) offset, from.remaining());
  }

  @Override
  public synchronized void zero(long offset, long length) {
    Arrays.fill(bytes, (int) offset, (int) (offset + length), (byte) 0);
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
    checkSound();
    flushing.countDown();
    try {
      flushes.await();
    } catch (InterruptedException e) {
      throw new IOException("Nobody interrupts a flush", e);
    }
  }

  @Override
  public void close() {}
}
