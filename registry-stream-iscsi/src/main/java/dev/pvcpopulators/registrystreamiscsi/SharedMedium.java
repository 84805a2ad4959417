package dev.pvcpopulators.registrystreamiscsi;

import dev.pvcpopulators.iscsitarget.medium.FileRange;
import dev.pvcpopulators.iscsitarget.medium.Medium;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// An image that several LUNs show, as one of them sees it: closing it closes nothing.
record SharedMedium(Medium image) implements Medium {
  @Override
  public long length() {
    return image.length();
  }

  @Override
  public boolean writable() {
    return image.writable();
  }

  @Override
  public @Nullable CompletableFuture<Void> arrival(long offset, long length, Access access) {
    return image.arrival(offset, length, access);
  }

  @Override
  public void read(long offset, ByteBuffer into) throws IOException {
    image.read(offset, into);
  }

  @Override
  public void write(long offset, ByteBuffer from) throws IOException {
    image.write(offset, from);
  }

  @Override
  public void zero(long offset, long length) throws IOException {
    image.zero(offset, length);
  }

  @Override
  public void deallocate(long offset, long length) throws IOException {
    image.deallocate(offset, length);
  }

  @Override
  public Extent extent(long offset) throws IOException {
    return image.extent(offset);
  }

  @Override
  public void flush() throws IOException {
    image.flush();
  }

  @Override
  public @Nullable FileRange inFile(long offset, long length) {
    return image.inFile(offset, length);
  }

  /// The image belongs to the cache.
  @Override
  public void close() {}
}
