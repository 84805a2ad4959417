package dev.pvcpopulators.iscsitarget.block;

import dev.pvcpopulators.iscsitarget.medium.Medium;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// A medium in memory that records calls. The medium copies the bytes of each read or write in two
/// halves, so a reader without a lock may see half of a write.
final class ArrayMedium implements Medium {
  record Call(String what, long offset, long length) {}

  private final byte[] bytes;
  private final BitSet mappedSectors = new BitSet();
  final List<Call> calls = Collections.synchronizedList(new ArrayList<>());

  volatile @Nullable CompletableFuture<Void> arrival;
  volatile @Nullable IOException broken;
  volatile boolean writable = true;

  /// Runs between the two halves of a copy.
  volatile Runnable halfway = () -> {};

  ArrayMedium(int length) {
    bytes = new byte[length];
  }

  /// Returns the content itself, not a copy.
  byte[] bytes() {
    return bytes;
  }

  long count(String what) {
    synchronized (calls) {
      return calls.stream().filter(call -> call.what.equals(what)).count();
    }
  }

  private void note(String what, long offset, long length) throws IOException {
    if (offset < 0 || length < 0 || offset + length > bytes.length) {
      throw new IndexOutOfBoundsException(what + " " + offset + "+" + length);
    }
    calls.add(new Call(what, offset, length));
    IOException failure = broken;
    if (failure != null) {
      throw failure;
    }
  }

  @Override
  public long length() {
    return bytes.length;
  }

  @Override
  public boolean writable() {
    return writable;
  }

  @Override
  public @Nullable CompletableFuture<Void> arrival(long offset, long length, Access access) {
    calls.add(new Call(access.name(), offset, length));
    return arrival;
  }

  @Override
  public void read(long offset, ByteBuffer into) throws IOException {
    note("read", offset, into.remaining());
    int half = into.remaining() / 2;
    into.put(bytes, (int) offset, half);
    halfway.run();
    into.put(bytes, (int) offset + half, into.remaining());
  }

  @Override
  public void write(long offset, ByteBuffer from) throws IOException {
    note("write", offset, from.remaining());
    int length = from.remaining();
    int half = length / 2;
    from.get(bytes, (int) offset, half);
    halfway.run();
    from.get(bytes, (int) offset + half, length - half);
    mapped(offset, length, true);
  }

  @Override
  public void zero(long offset, long length) throws IOException {
    note("zero", offset, length);
    Arrays.fill(bytes, (int) offset, (int) (offset + length), (byte) 0);
    mapped(offset, length, true);
  }

  @Override
  public void deallocate(long offset, long length) throws IOException {
    note("deallocate", offset, length);
    Arrays.fill(bytes, (int) offset, (int) (offset + length), (byte) 0);
    mapped(offset, length, false);
  }

  private void mapped(long offset, long length, boolean mapped) {
    synchronized (mappedSectors) {
      mappedSectors.set((int) (offset / 512), (int) Math.ceilDiv(offset + length, 512L), mapped);
    }
  }

  @Override
  public Extent extent(long offset) throws IOException {
    note("extent", offset, 1);
    synchronized (mappedSectors) {
      int sector = (int) (offset / 512);
      boolean mapped = mappedSectors.get(sector);
      int next = mapped ? mappedSectors.nextClearBit(sector) : mappedSectors.nextSetBit(sector);
      long end = next < 0 ? bytes.length : Math.min(next * 512L, bytes.length);
      return new Extent(end - offset, mapped);
    }
  }

  @Override
  public void flush() throws IOException {
    note("flush", 0, 0);
  }

  @Override
  public void close() {}
}
