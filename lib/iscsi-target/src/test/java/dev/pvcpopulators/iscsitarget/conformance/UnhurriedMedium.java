package dev.pvcpopulators.iscsitarget.conformance;

import dev.pvcpopulators.iscsitarget.medium.Medium;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// A medium whose long writes are slow, so that a test can observe a SANITIZE in progress.
///
/// @param medium the medium with the data; [#close] closes it
record UnhurriedMedium(Medium medium) implements Medium {
  /// The speed of long writes, in bytes per second.
  private static final long RATE = 512L << 10;

  /// The minimum length of a slow write, in bytes. Shorter writes have no delay.
  private static final int LONG = 128 << 10;

  @Override
  public void write(long offset, ByteBuffer from) throws IOException {
    int length = from.remaining();
    medium.write(offset, from);
    if (length >= LONG) {
      LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(1) * length / RATE);
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
  public @Nullable CompletableFuture<Void> arrival(long offset, long length, Access access) {
    return medium.arrival(offset, length, access);
  }

  @Override
  public void read(long offset, ByteBuffer into) throws IOException {
    medium.read(offset, into);
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
  public void close() throws IOException {
    medium.close();
  }
}
