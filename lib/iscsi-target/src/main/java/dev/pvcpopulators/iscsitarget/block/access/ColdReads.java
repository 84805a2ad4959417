package dev.pvcpopulators.iscsitarget.block.access;

import dev.pvcpopulators.iscsitarget.medium.Medium;
import dev.pvcpopulators.iscsitarget.scsi.Task;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// Reads a medium. While the medium's storage is slow, a command waits for the future of [#arrival]
/// before the command reads; meanwhile, a pool of threads reads the command's range into the page
/// cache. Without this class, the reads of a connection would run one after the other on the
/// connection's thread, although storage could serve many reads at once.
///
/// The time of each read is measured. Most reads take microseconds, because the page cache has the
/// data. A single slow read among fast reads does not make storage count as slow, because the
/// operating system may have paused the thread.
///
/// Thread-safe; there is nothing to close.
public final class ColdReads implements Task.Source {
  /// A read counts as fast if it takes at most this time plus one nanosecond for each byte.
  private static final long BRIEF_NANOS = 20_000;

  /// The amount that a slow read adds to the [#cold] count; each fast read subtracts 1.
  private static final int SLOW = 16;

  /// The greatest [#cold] count at which storage still counts as fast. After at most three slow
  /// reads in a row, the count exceeds this value.
  private static final int COLD = 2 * SLOW;

  /// The upper bound of the [#cold] count. After at most `COLDEST - COLD` fast reads in a row,
  /// storage counts as fast.
  private static final int COLDEST = 96;

  private static final int PIECE = 64 * 1024;
  private static final int THREADS = 32;
  private static final int IDLE_SECONDS = 5;

  /// The threads that read ranges into the page cache, for all media. The threads are platform
  /// threads, because a blocking read occupies a platform thread in any case. The threads are
  /// daemon threads, so that the JVM can exit before a read ends.
  private static final ThreadPoolExecutor READERS = readers();

  /// The buffer of each thread for reads whose only purpose is to fill the page cache.
  private static final ThreadLocal<ByteBuffer> SINK =
      ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(PIECE));

  private final Medium medium;
  private final LongSupplier clock;

  /// A measure of the slowness of recent reads, 0 to [#COLDEST]. A concurrent read may overwrite an
  /// update of this count; the count need not be exact.
  private volatile int cold;

  public ColdReads(Medium medium) {
    this(medium, System::nanoTime);
  }

  /// Creates a source that measures time with the given clock.
  ///
  /// @param clock the clock, in nanoseconds as [System#nanoTime]
  public ColdReads(Medium medium, LongSupplier clock) {
    this.medium = medium;
    this.clock = clock;
  }

  private static ThreadPoolExecutor readers() {
    ThreadPoolExecutor readers =
        new ThreadPoolExecutor(
            THREADS,
            THREADS,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            Thread.ofPlatform().daemon().name("cold-read-", 0).factory());
    readers.allowCoreThreadTimeOut(true);
    return readers;
  }

  @Override
  public void read(long offset, ByteBuffer into) throws IOException {
    int length = into.remaining();
    long begin = clock.getAsLong();
    medium.read(offset, into);
    took(clock.getAsLong() - begin, length);
  }

  @Override
  public @Nullable FileChannel unchangingFile(long offset, long length) {
    return medium.unchangingFile(offset, length);
  }

  @Override
  public void took(long nanos, long length) {
    int before = cold;
    if (nanos > BRIEF_NANOS + length) {
      cold = Math.min(before + SLOW, COLDEST);
    } else if (before > 0) {
      cold = before - 1;
    }
  }

  /// Returns the future that a read of a range must wait for. If the range has not arrived, returns
  /// the future of [Medium#arrival]. If the range has arrived and storage is slow, the future
  /// completes when the range has been read into the page cache. If this read fails, the future
  /// completes exceptionally.
  ///
  /// @return the future; null if there is nothing to wait for
  public @Nullable CompletableFuture<Void> arrival(long offset, long length) {
    CompletableFuture<Void> arrival = medium.arrival(offset, length, Medium.Access.READ);
    if (arrival != null || cold <= COLD) {
      return arrival;
    }
    CompletableFuture<Void> warm = new CompletableFuture<>();
    READERS.execute(() -> fetch(offset, length, warm));
    return warm;
  }

  /// Reads a range into the page cache. Stops early if `warm` is cancelled.
  ///
  /// @param warm the future that this method completes at the end, exceptionally after an error
  private void fetch(long offset, long length, CompletableFuture<Void> warm) {
    try {
      ByteBuffer sink = SINK.get();
      for (long done = 0; done < length && !warm.isDone(); done += sink.limit()) {
        sink.clear().limit((int) Math.min(PIECE, length - done));
        read(offset + done, sink);
      }
      warm.complete(null);
    } catch (Throwable e) { // also OutOfMemoryError, because a command waits for `warm`
      warm.completeExceptionally(e);
    }
  }
}
