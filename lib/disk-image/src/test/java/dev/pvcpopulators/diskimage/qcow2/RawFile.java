package dev.pvcpopulators.diskimage.qcow2;

import dev.pvcpopulators.diskimage.DiskSink;
import dev.pvcpopulators.diskimage.ExceedsVolumeException;
import dev.pvcpopulators.diskimage.Staging;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.OptionalLong;

/// A sink that writes to a sparse file and checks the calls of the reader.
public final class RawFile implements DiskSink, Staging, AutoCloseable {
  private final RandomAccessFile disk;
  private final RandomAccessFile stage;
  private final long capacity;
  private final Ranges told = new Ranges();
  private final Ranges kept = new Ranges();
  private final byte[] copy = new byte[1 << 16];
  private final Thread owner = Thread.currentThread();
  private boolean staging = true;
  private long size = -1;
  private long stagedBytes;
  private long writes;

  public RawFile(Path path, long capacity) throws IOException {
    this.disk = new RandomAccessFile(path.toFile(), "rw");
    this.stage =
        new RandomAccessFile(path.resolveSibling(path.getFileName() + ".stage").toFile(), "rw");
    this.disk.setLength(0);
    this.stage.setLength(0);
    this.capacity = capacity;
  }

  /// Creates a sink that fails if its caller requests staging.
  static RawFile withoutStaging(Path path) throws IOException {
    RawFile file = new RawFile(path, Long.MAX_VALUE);
    file.staging = false;
    return file;
  }

  /// Returns the number of bytes passed to [#keep].
  long stagedBytes() {
    return stagedBytes;
  }

  /// Returns the number of bytes that the sink received without a gap, starting at a guest offset.
  long toldFrom(long guestOffset) {
    return told.endOf(guestOffset) - guestOffset;
  }

  /// Returns true if the sink received every guest byte, as data or as zeros.
  public boolean allTold() {
    return size == 0 || told.endOf(0) == size;
  }

  /// Returns the number of calls of [#write].
  long writes() {
    return writes;
  }

  @Override
  public void expect(long virtualSize) throws IOException {
    require(size < 0, "the size is announced twice");
    if (virtualSize > capacity) {
      throw ExceedsVolumeException.tooLarge(virtualSize, capacity);
    }
    size = virtualSize;
    disk.setLength(virtualSize);
  }

  @Override
  public void write(long guestOffset, byte[] source, int offset, int length) throws IOException {
    claim(guestOffset, length);
    writes++;
    writeUnlessZero(guestOffset, source, offset, length);
  }

  @Override
  public void zeros(long guestOffset, long length) {
    claim(guestOffset, length);
  }

  @Override
  public Staging staging(OptionalLong hostLength) {
    require(staging, "asked to stage");
    return this;
  }

  @Override
  public void keep(long hostOffset, byte[] source, int offset, int length) throws IOException {
    require(length > 0, "nothing to keep");
    require(kept.add(hostOffset, hostOffset + length), "kept twice: " + hostOffset);
    stagedBytes += length;
    stage.seek(hostOffset);
    stage.write(source, offset, length);
  }

  @Override
  public void read(long hostOffset, byte[] target, int offset, int length) throws IOException {
    stage.seek(hostOffset);
    int done = 0;
    while (done < length) {
      int count = stage.read(target, offset + done, length - done);
      if (count < 0) {
        Arrays.fill(target, offset + done, offset + length, (byte) 0);
        return;
      }
      done += count;
    }
  }

  @Override
  public void moveToGuest(long hostOffset, long guestOffset, long length) throws IOException {
    claim(guestOffset, length);
    require(
        kept.remove(hostOffset, hostOffset + length),
        "moved but not kept: %d bytes from %d".formatted(length, hostOffset));
    for (long done = 0; done < length; ) {
      int count = (int) Math.min(copy.length, length - done);
      read(hostOffset + done, copy, 0, count);
      writeUnlessZero(guestOffset + done, copy, 0, count);
      done += count;
    }
  }

  @Override
  public void close() throws IOException {
    disk.close();
    stage.close();
  }

  private void writeUnlessZero(long guestOffset, byte[] source, int offset, int length)
      throws IOException {
    for (int i = offset; i < offset + length; i++) {
      if (source[i] != 0) {
        disk.seek(guestOffset);
        disk.write(source, offset, length);
        return;
      }
    }
  }

  private void claim(long guestOffset, long length) {
    require(Thread.currentThread().equals(owner), "called by another thread");
    require(length > 0, "nothing to write");
    require(
        guestOffset >= 0 && guestOffset + length <= size,
        "outside the disk: %d bytes at %d".formatted(length, guestOffset));
    require(told.add(guestOffset, guestOffset + length), "told twice: " + guestOffset);
  }

  private static void require(boolean condition, String message) {
    if (!condition) {
      throw new AssertionError(message);
    }
  }
}
