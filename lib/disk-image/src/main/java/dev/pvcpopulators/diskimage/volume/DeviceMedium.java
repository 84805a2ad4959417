package dev.pvcpopulators.diskimage.volume;

import static dev.pvcpopulators.diskimage.volume.Sizes.MIB;

import dev.pvcpopulators.diskimage.ExceedsVolumeException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.linux.NativeFile;
import dev.pvcpopulators.linux.SystemCallException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// A disk that starts at offset 0 of a block device.
///
/// [#prepare] zeroes the first MiB by writing, unless this MiB is already zero. If the options do
/// not require allocated space, [#prepare] then zeroes the rest of the device by unmapping. If the
/// options require allocated space, or if the device cannot unmap, [#publish] zeroes the MiBs
/// without data, after all data outside the first MiB has been written.
final class DeviceMedium implements Medium {
  private final BlockVolume volume;
  private final WriteOptions options;
  private final Cancellation cancellation;
  private final NativeFile device;
  private final DeviceRanges ranges;
  private final long size;
  private boolean blank;
  private final @Nullable ScratchDirectory scratch;
  private @Nullable SparseStore store;
  private @Nullable VolumeStaging staging;
  private long stagingBase;
  private boolean releasing;
  private boolean complete;

  DeviceMedium(BlockVolume volume, WriteOptions options, Cancellation cancellation)
      throws IOException {
    this.volume = volume;
    this.options = options;
    this.cancellation = cancellation;
    this.device = open(volume);
    try {
      this.size = device.length();
    } catch (IOException e) {
      device.close();
      throw e;
    }
    this.stagingBase = size;
    this.ranges = new DeviceRanges(device, size, cancellation);
    this.scratch = options.scratch().map(ScratchDirectory::new).orElse(null);
  }

  private static NativeFile open(BlockVolume volume) throws IOException {
    try {
      return NativeFile.openDevice(volume.path());
    } catch (SystemCallException e) {
      if (e.busy()) {
        throw new IOException(
            "Cannot write a disk to " + volume.path() + ": the device is mounted or in use", e);
      }
      throw e;
    }
  }

  @Override
  public long available() {
    return size;
  }

  @Override
  public void admit(long end) throws IOException {
    if (end > size) {
      throw ExceedsVolumeException.tooLarge(end, size);
    }
  }

  @Override
  public void admitBytes(long end) throws IOException {
    admit(end);
    if (end > stagingBase) {
      throw VolumeStaging.noRoom();
    }
  }

  @Override
  public void prepare(OptionalLong virtualSize) throws IOException {
    if (BlockVolume.firstMibZero(device)) {
      // The zeros may not be on stable storage yet: the process that wrote them may have been
      // killed before it flushed them.
      device.syncData();
    } else {
      ranges.clearFirstMib();
    }
    blank = options.preallocation() == Preallocation.NONE && ranges.punch(Math.min(MIB, size));
    store = new SparseStore(device, size, blank, SparseStore.Room.NONE);
    store.holdFirst();
  }

  @Override
  public SparseStore store() {
    if (store == null) {
      throw new IllegalStateException("The device is prepared before it is written");
    }
    return store;
  }

  /// Opens staging in the last part of the device. This part is at least as long as the source. If
  /// the length of the source is unknown, this part is at least half as long as the device. If the
  /// device has no space for this part after the first MiB and after `guestEnd`, this method opens
  /// the staging in the scratch directory.
  @Override
  public VolumeStaging openStaging(OptionalLong hostLength, long guestEnd) throws IOException {
    long base = Sizes.floor(hostLength.isPresent() ? size - hostLength.getAsLong() : size / 2, MIB);
    if (base < Math.max(MIB, guestEnd)) {
      return openScratchStaging();
    }
    store().flush();
    if (!blank) {
      ranges.zero(base, size);
    }
    VolumeStaging.Place place = new VolumeStaging.Place(device, base, size - base, false, blank);
    stagingBase = base;
    return openStaging(place);
  }

  private VolumeStaging openStaging(VolumeStaging.Place place) {
    staging = new VolumeStaging(place, device, store(), SparseStore.Room.NONE, cancellation);
    return staging;
  }

  /// Opens staging in the scratch directory, for a device without space for both the disk and the
  /// staging. The disk may then use all of the device.
  private VolumeStaging openScratchStaging() throws IOException {
    if (scratch == null) {
      throw VolumeStaging.noRoom();
    }
    store().flush();
    return openStaging(new VolumeStaging.Place(scratch.create(), 0, Long.MAX_VALUE, true, true));
  }

  @Override
  public Path openSpool() throws IOException {
    if (scratch == null) {
      throw new UnsupportedFeatureException(
          "An image that qemu-img has to convert must be stored in a file first. For a Block"
              + " volume set POPULATOR_SCRATCH to a directory with room for the image and its"
              + " disk's data, or convert it first: qemu-img convert -O qcow2 SOURCE disk.qcow2");
    }
    return scratch.createKept().again();
  }

  @Override
  public long spoolable() throws IOException {
    return scratch == null ? 0 : scratch.usable();
  }

  @Override
  public Path unpublished() throws IOException {
    throw new UnsupportedFeatureException(
        "No other program writes a disk to a Block volume: its first MiB would not be written"
            + " last");
  }

  @Override
  public PublishedDisk publish(DiskRecord record) throws IOException {
    SparseStore guest = store();
    guest.flush();
    clearStaging();
    zeroRest(guest);
    device.syncData();
    cancellation.check();
    releasing = true;
    guest.releaseFirst();
    device.sync();
    complete = true;
    volume.published();
    return new PublishedDisk(volume.path(), size, guest.written(), record);
  }

  private void clearStaging() throws IOException {
    if (staging == null) {
      return;
    }
    staging.close();
    staging = null;
    if (stagingBase == size) {
      // The staging was in the scratch directory, so the device has no staged bytes.
      return;
    }
    // If the device was not zeroed beforehand (`blank` is false), zeroRest() zeroes the staging
    // region, because the store of the disk never wrote to this region.
    if (blank && !ranges.punch(stagingBase)) {
      ranges.zero(stagingBase, size);
    }
  }

  private void zeroRest(SparseStore guest) throws IOException {
    long mibs = Sizes.ceil(size, MIB) / MIB;
    long index = guest.nextUnwritten(0);
    while (index < mibs) {
      long next = guest.nextWritten(index);
      ranges.zero(index * MIB, Math.min(size, next * MIB));
      index = guest.nextUnwritten(next);
    }
  }

  @Override
  public void close() throws IOException {
    try (device;
        scratch) {
      if (staging != null) {
        staging.close();
        staging = null;
      }
      if (store != null) {
        store.close();
        store = null;
      }
      if (releasing && !complete) {
        // A partially written first MiB must not look like a disk.
        new DeviceRanges(device, size, new Cancellation()).clearFirstMib();
      }
    }
  }
}
