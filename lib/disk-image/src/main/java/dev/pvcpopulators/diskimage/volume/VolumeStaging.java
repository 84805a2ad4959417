package dev.pvcpopulators.diskimage.volume;

import static dev.pvcpopulators.diskimage.volume.Sizes.BLOCK;
import static dev.pvcpopulators.diskimage.volume.Sizes.MIB;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.pvcpopulators.diskimage.Staging;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.linux.NativeFile;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.OptionalLong;

/// Stores host bytes in a file, or in a region of a block device, until they are moved to the disk.
///
/// If the file system supports reflinks, and the moved range is aligned to blocks, a move shares
/// blocks and copies no data. Otherwise this class reads the bytes, and the [SparseStore] of the
/// disk writes them: zeros become holes, and direct I/O is used where it is faster. This class does
/// not call `copy_file_range`, because this call reads through the page cache, and with direct I/O
/// the staged bytes are not in the page cache. For 512 MiB on ext4, `copy_file_range` took 2.9 s,
/// and this class took 1.6 s and one fifth of the processor time. The space of moved bytes is freed
/// in batches, because each call of fallocate(2) takes tens of microseconds.
final class VolumeStaging implements Staging, AutoCloseable {
  /// The location of stored host bytes. The location reads as zeros until bytes are stored there.
  ///
  /// @param file the file or device
  /// @param base the offset in `file` at which the byte of host offset 0 is stored; a multiple of 1
  ///   MiB
  /// @param capacity the maximum number of host bytes
  /// @param ownFile true for a separate file; false for a region of the device that holds the disk.
  ///   A separate file has base 0 and detectable holes, and may be able to share blocks with the
  ///   disk
  /// @param punchable whether space can be freed
  record Place(NativeFile file, long base, long capacity, boolean ownFile, boolean punchable) {}

  /// The space of moved bytes is freed when at least this number of bytes, or at least
  /// `RELEASE_RANGES` ranges, wait to be freed.
  private static final long RELEASE_BYTES = 64L * MIB;

  private static final int RELEASE_RANGES = 4096;

  /// Step in bytes by which the length of a separate file grows.
  private static final long GROWTH = 64L * MIB;

  private final Place place;
  private final SparseStore store;
  private final NativeFile guestFile;
  private final SparseStore guest;
  private final Cancellation cancellation;
  private final RangeSet moved = new RangeSet();
  private final Arena arena = Arena.ofShared();
  private final MemorySegment buffer = arena.allocate(MIB, BLOCK);
  private boolean shareable;
  private boolean punchable;
  private long fileLength;

  /// Creates the staging.
  ///
  /// @param place the location of the bytes; the staging closes the file if it is a separate file
  /// @param room called when the volume is full
  VolumeStaging(
      Place place,
      NativeFile guestFile,
      SparseStore guest,
      SparseStore.Room room,
      Cancellation cancellation) {
    this.place = place;
    this.store = new SparseStore(place.file(), place.base() + place.capacity(), true, room);
    this.guestFile = guestFile;
    this.guest = guest;
    this.cancellation = cancellation;
    this.shareable = place.ownFile();
    this.punchable = place.punchable();
  }

  @Override
  public void keep(long hostOffset, byte[] source, int offset, int length) throws IOException {
    cancellation.check();
    long end = Math.addExact(hostOffset, length);
    if (end > place.capacity()) {
      throw noRoom();
    }
    grow(end);
    store.write(place.base() + hostOffset, MemorySegment.ofArray(source), offset, length);
  }

  static UnsupportedFeatureException noRoom() {
    return new UnsupportedFeatureException(
        "This image cannot be converted in one pass on this volume: its tables come after the data"
            + " that they map, and the volume has no room to keep that data meanwhile. Write the image"
            + " anew with large clusters (qemu-img convert -O qcow2 -o cluster_size=64k SOURCE"
            + " disk.qcow2), use a larger volume, or set POPULATOR_SCRATCH to a directory with room"
            + " for the image");
  }

  /// Extends a separate file at least to `end`. Without this step, the file may stay shorter,
  /// because zeros are not written. Only a range within the file can be shared.
  private void grow(long end) throws IOException {
    if (place.ownFile() && end > fileLength) {
      fileLength = Sizes.ceil(end, GROWTH);
      place.file().truncate(fileLength);
    }
  }

  @Override
  public void read(long hostOffset, byte[] target, int offset, int length) throws IOException {
    cancellation.check();
    long done = 0;
    while (done < length) {
      int lead = (int) ((hostOffset + done) % BLOCK);
      long n = Math.min(length - done, MIB - lead);
      load(hostOffset + done - lead, lead + n);
      MemorySegment.copy(buffer, JAVA_BYTE, lead, target, (int) (offset + done), (int) n);
      done += n;
    }
  }

  private void load(long hostOffset, long length) throws IOException {
    store.read(place.base() + hostOffset, buffer.asSlice(0, Sizes.ceil(length, BLOCK)));
  }

  @Override
  public void moveToGuest(long hostOffset, long guestOffset, long length) throws IOException {
    cancellation.check();
    if (length == 0) {
      return;
    }
    store.flush(place.base() + hostOffset, length);
    if (share(hostOffset, guestOffset, length)) {
      return;
    }
    copy(hostOffset, guestOffset, length);
    if (punchable) {
      moved.add(hostOffset, length);
      if (moved.bytes() >= RELEASE_BYTES || moved.count() >= RELEASE_RANGES) {
        release();
      }
    }
  }

  /// Shares a range by reflink. The caller does not free a shared range, because shared blocks need
  /// no extra space.
  ///
  /// @return false if the range cannot be shared
  private boolean share(long hostOffset, long guestOffset, long length) throws IOException {
    if (!shareable || (hostOffset | guestOffset | length) % BLOCK != 0) {
      return false;
    }
    grow(hostOffset + length);
    shareable = guestFile.cloneRange(place.file(), hostOffset, length, guestOffset);
    return shareable;
  }

  private void copy(long hostOffset, long guestOffset, long length) throws IOException {
    long end = hostOffset + length;
    long position = hostOffset;
    while (position < end) {
      cancellation.check();
      if (place.ownFile()) {
        // This method does not query where the data ends, because tmpfs would walk over all pages
        // of the data to find the end.
        OptionalLong data = place.file().nextData(position);
        if (data.isEmpty() || data.getAsLong() >= end) {
          return;
        }
        position = data.getAsLong();
      }
      int lead = (int) (position % BLOCK);
      long n = Math.min(end - position, MIB - lead);
      load(position - lead, lead + n);
      guest.write(guestOffset + (position - hostOffset), buffer, lead, n);
      position += n;
    }
  }

  /// Frees the staging space of the bytes that were copied to the disk since the last call of this
  /// method. Partial blocks at the ends of a copied range are not freed.
  ///
  /// @return false if no copied range contains a whole block, or if space cannot be freed
  boolean release() throws IOException {
    boolean any = false;
    for (Map.Entry<Long, Long> range : moved.ranges()) {
      long begin = Sizes.ceil(place.base() + range.getKey(), BLOCK);
      long end = Sizes.floor(place.base() + range.getValue(), BLOCK);
      if (punchable && begin < end) {
        punchable = place.file().punch(begin, end - begin);
        any |= punchable;
      }
    }
    moved.clear();
    return any;
  }

  @Override
  public void close() throws IOException {
    store.close();
    arena.close();
    if (place.ownFile()) {
      place.file().close();
    }
  }
}
