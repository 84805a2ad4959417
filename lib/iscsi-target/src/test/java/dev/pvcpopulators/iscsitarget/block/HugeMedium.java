package dev.pvcpopulators.iscsitarget.block;

import dev.pvcpopulators.iscsitarget.medium.Medium;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// A medium of any length that stores no content. A new medium is one hole.
final class HugeMedium implements Medium {
  private final long length;
  private final List<long[]> holes = new ArrayList<>();

  /// Creates a medium that is one hole.
  ///
  /// @param blocks the number of blocks of 512 bytes
  HugeMedium(long blocks) {
    this.length = blocks * 512;
  }

  /// Adds a hole. After the first call, all bytes outside the holes are mapped.
  void hole(long from, long to) {
    holes.add(new long[] {from, to});
  }

  @Override
  public long length() {
    return length;
  }

  @Override
  public boolean writable() {
    return true;
  }

  @Override
  public @Nullable CompletableFuture<Void> arrival(long offset, long length, Access access) {
    return null;
  }

  @Override
  public void read(long offset, ByteBuffer into) {
    into.position(into.limit());
  }

  @Override
  public void write(long offset, ByteBuffer from) {
    from.position(from.limit());
  }

  @Override
  public void zero(long offset, long length) {}

  @Override
  public void deallocate(long offset, long length) {}

  @Override
  public Extent extent(long offset) {
    if (holes.isEmpty()) {
      return new Extent(length - offset, false);
    }
    for (long[] hole : holes) {
      if (offset < hole[0]) {
        return new Extent(hole[0] - offset, true);
      }
      if (offset < hole[1]) {
        return new Extent(hole[1] - offset, false);
      }
    }
    return new Extent(length - offset, true);
  }

  @Override
  public void flush() {}

  @Override
  public void close() {}
}
