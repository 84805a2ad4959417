package dev.pvcpopulators.fuzz;

import dev.pvcpopulators.diskimage.DiskSink;
import dev.pvcpopulators.diskimage.ExceedsVolumeException;
import dev.pvcpopulators.diskimage.Staging;
import java.util.Arrays;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.TreeMap;

/// A disk in memory that checks whether a decoder obeys the rules of [DiskSink]. If the format
/// states the size before the data, the decoder must announce the size before it writes data. The
/// decoder must write each guest byte at most once, and within the disk. The decoder must stage
/// each host byte at most once, and must move only staged bytes.
public final class MemoryDisk implements DiskSink {
  private static final long UNKNOWN = -1;

  private final long capacity;
  private final boolean sizeFirst;
  private final boolean stages;
  private final NavigableMap<Long, byte[]> written = new TreeMap<>();
  private final NavigableMap<Long, byte[]> kept = new TreeMap<>();
  private long virtualSize = UNKNOWN;
  private long end;
  private long bytes;

  /// Creates an empty disk.
  ///
  /// @param capacity the maximum sum of written and staged bytes
  /// @param sizeFirst whether the format states the size before the data
  /// @param stages whether [#staging] may be called
  public MemoryDisk(long capacity, boolean sizeFirst, boolean stages) {
    this.capacity = capacity;
    this.sizeFirst = sizeFirst;
    this.stages = stages;
  }

  @Override
  public void expect(long size) {
    require(virtualSize == UNKNOWN, "the size was announced twice");
    require(size >= 0, "the size is negative");
    require(size >= end, "the announced size is less than the written bytes");
    virtualSize = size;
  }

  @Override
  public void write(long guestOffset, byte[] source, int offset, int length)
      throws ExceedsVolumeException {
    Objects.checkFromIndexSize(offset, length, source.length);
    inside(guestOffset, length);
    put(written, guestOffset, Arrays.copyOfRange(source, offset, offset + length));
    end = Math.max(end, guestOffset + length);
  }

  @Override
  public void zeros(long guestOffset, long length) {
    require(length >= 1, "expected at least one zero byte");
    inside(guestOffset, length);
  }

  private void inside(long guestOffset, long length) {
    require(virtualSize != UNKNOWN || !sizeFirst, "the size was not announced before");
    require(guestOffset >= 0 && length >= 0, "a negative offset or length");
    require(
        virtualSize == UNKNOWN || (length <= virtualSize && guestOffset <= virtualSize - length),
        guestOffset + "+" + length + " is outside of " + virtualSize);
  }

  private void put(NavigableMap<Long, byte[]> map, long at, byte[] piece)
      throws ExceedsVolumeException {
    if (piece.length == 0) {
      return;
    }
    bytes += piece.length;
    if (bytes > capacity) {
      throw ExceedsVolumeException.full(bytes, capacity);
    }
    Map.Entry<Long, byte[]> before = map.floorEntry(at);
    require(
        before == null || before.getKey() + before.getValue().length <= at,
        "bytes at " + at + " were written or staged twice");
    Map.Entry<Long, byte[]> behind = map.ceilingEntry(at);
    require(
        behind == null || at + piece.length <= behind.getKey(),
        "bytes at " + at + " were written or staged twice");
    map.put(at, piece);
  }

  @Override
  public Staging staging(OptionalLong hostLength) {
    require(stages, "staging is not permitted");
    return new Staging() {
      @Override
      public void keep(long hostOffset, byte[] source, int offset, int length)
          throws ExceedsVolumeException {
        Objects.checkFromIndexSize(offset, length, source.length);
        require(hostOffset >= 0, "a negative offset");
        put(kept, hostOffset, Arrays.copyOfRange(source, offset, offset + length));
      }

      @Override
      public void read(long hostOffset, byte[] target, int offset, int length) {
        Arrays.fill(target, offset, offset + length, (byte) 0);
        copy(kept, hostOffset, target, offset, length);
      }

      @Override
      public void moveToGuest(long hostOffset, long guestOffset, long length)
          throws ExceedsVolumeException {
        inside(guestOffset, length);
        byte[] piece = new byte[Math.toIntExact(length)];
        require(
            copy(kept, hostOffset, piece, 0, piece.length) == length,
            "host bytes at " + hostOffset + " were not staged");
        write(guestOffset, piece, 0, piece.length);
      }
    };
  }

  /// Copies the bytes that the map contains for a range.
  ///
  /// @return the number of copied bytes
  private static int copy(
      NavigableMap<Long, byte[]> map, long from, byte[] target, int offset, int length) {
    int copied = 0;
    Long first = map.floorKey(from);
    for (Map.Entry<Long, byte[]> entry :
        map.subMap(first == null ? from : first, true, from + length, false).entrySet()) {
      long start = Math.max(from, entry.getKey());
      long stop = Math.min(from + length, entry.getKey() + entry.getValue().length);
      if (start < stop) {
        System.arraycopy(
            entry.getValue(),
            (int) (start - entry.getKey()),
            target,
            offset + (int) (start - from),
            (int) (stop - start));
        copied += (int) (stop - start);
      }
    }
    return copied;
  }

  /// Returns the announced size of the disk in bytes. If no size was announced, returns the offset
  /// after the last written byte.
  public long size() {
    return virtualSize == UNKNOWN ? end : virtualSize;
  }

  /// Returns the beginning of the disk, with zeros for bytes that were not written.
  ///
  /// @param length the number of bytes to return
  public byte[] content(int length) {
    byte[] content = new byte[length];
    copy(written, 0, content, 0, length);
    return content;
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new AssertionError(otherwise);
    }
  }
}
