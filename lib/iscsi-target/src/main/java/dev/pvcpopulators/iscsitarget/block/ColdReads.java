package dev.pvcpopulators.iscsitarget.block;

import dev.pvcpopulators.iscsitarget.medium.FileRange;
import dev.pvcpopulators.iscsitarget.medium.Medium;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// A medium that tells, of ranges to be read, that they have yet to arrive from storage, for as
/// long as its reads are slow: those of a connection would else be done one after the other, on its
/// own thread, while storage could do many at once.
///
/// Whether reads are slow is measured: most take microseconds, out of the page cache. A few slow
/// ones in a row count, a single one does not, which may as well be the thread that lost its
/// processor. Once they are, [#arrival] has a range read for the page cache, on one of a few
/// threads, and completes when it is there.
///
/// Everything else is the medium's own. Thread-safe; whoever closes the medium closes this.
final class ColdReads implements Medium {
  /// What a read may take that finds its data in memory: so long, and a nanosecond a byte.
  private static final long BRIEF_NANOS = 20_000;

  /// What a slow read adds to the [#cold] count; each other one takes 1 away.
  private static final int SLOW = 16;

  /// From there on reads are slow: three in a row.
  private static final int COLD = 2 * SLOW;

  /// The count goes no higher, so that as many reads as this, less [#COLD], find out that storage
  /// has become fast.
  private static final int COLDEST = 96;

  private static final int PIECE = 64 * 1024;
  private static final int THREADS = 32;
  private static final int IDLE_SECONDS = 5;

  /// Threads of the platform's, because a read occupies one either way. Daemons: they hold nothing.
  private static final ThreadPoolExecutor READERS = readers();

  /// Where data goes that is read for the page cache only; a thread's own.
  private static final ThreadLocal<ByteBuffer> SINK =
      ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(PIECE));

  private final Medium medium;

  /// How slow reads have been of late, 0 to [#COLDEST]. Threads may overwrite each other's counts,
  /// which does no harm.
  private volatile int cold;

  ColdReads(Medium medium) {
    this.medium = medium;
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
    long begin = System.nanoTime();
    medium.read(offset, into);
    took(System.nanoTime() - begin, length);
  }

  private void took(long nanos, int length) {
    int before = cold;
    if (nanos > BRIEF_NANOS + length) {
      cold = Math.min(before + SLOW, COLDEST);
    } else if (before > 0) {
      cold = before - 1;
    }
  }

  @Override
  public @Nullable CompletableFuture<Void> arrival(long offset, long length, Access access) {
    CompletableFuture<Void> arrival = medium.arrival(offset, length, access);
    if (arrival != null || cold <= COLD) {
      return arrival;
    }
    CompletableFuture<Void> warm = new CompletableFuture<>();
    READERS.execute(() -> fetch(offset, length, warm));
    return warm;
  }

  /// Reads a range for the page cache, unless nobody wants it any more.
  ///
  /// @param warm completed at the end; what fails here fails again where the command reads
  private void fetch(long offset, long length, CompletableFuture<Void> warm) {
    try {
      ByteBuffer sink = SINK.get();
      for (long done = 0; done < length && !warm.isDone(); done += sink.limit()) {
        sink.clear().limit((int) Math.min(PIECE, length - done));
        read(offset + done, sink);
      }
      warm.complete(null);
    } catch (Throwable e) { // also for want of memory: somebody waits
      warm.completeExceptionally(e);
    }
  }

  @Override
  public long length() {
    return medium.length();
  }

  @Override
  public boolean writable() {
    return medium.writable();
  }

  @Override
  public void write(long offset, ByteBuffer from) throws IOException {
    medium.write(offset, from);
  }

  @Override
  public void zero(long offset, long length) throws IOException {
    medium.zero(offset, length);
  }

  @Override
  public void deallocate(long offset, long length) throws IOException {
    medium.deallocate(offset, length);
  }

  @Override
  public Extent extent(long offset) throws IOException {
    return medium.extent(offset);
  }

  @Override
  public void flush() throws IOException {
    medium.flush();
  }

  @Override
  public @Nullable FileRange inFile(long offset, long length) {
    return medium.inFile(offset, length);
  }

  @Override
  public void close() throws IOException {
    medium.close();
  }
}
