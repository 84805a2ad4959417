package dev.pvcpopulators.iscsitarget.medium;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// A medium that forwards to another one; subclasses override some methods.
public abstract class ForwardingMedium implements Medium {
  private final Medium medium;

  /// Creates a medium that forwards to another one.
  ///
  /// @param medium closed with this one, unless the subclass overrides that
  protected ForwardingMedium(Medium medium) {
    this.medium = medium;
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
  public void close() throws IOException {
    medium.close();
  }
}
