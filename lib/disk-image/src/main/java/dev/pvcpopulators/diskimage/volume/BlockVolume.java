package dev.pvcpopulators.diskimage.volume;

import static dev.pvcpopulators.diskimage.volume.Sizes.BLOCK;
import static dev.pvcpopulators.diskimage.volume.Sizes.MIB;

import dev.pvcpopulators.linux.NativeFile;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/// A volume of mode Block: the disk begins at offset 0 of a device.
///
/// The device's first MiB is zero while the rest of the device is written, and is written last.
/// Therefore, a device does not look like a disk after an interrupted population. An exception is a
/// crash during this last write.
public final class BlockVolume implements VolumeTarget {
  private static final int TYPE_MASK = 0xf000;
  private static final int TYPE_BLOCK_DEVICE = 0x6000;

  private final Path path;
  private volatile boolean published;

  BlockVolume(Path path) {
    this.path = path;
  }

  static boolean blockDevice(Path path) throws IOException {
    int mode = (int) Files.getAttribute(path, "unix:mode");
    return (mode & TYPE_MASK) == TYPE_BLOCK_DEVICE;
  }

  @Override
  public Path path() {
    return path;
  }

  /// Does nothing: a crash leaves no files, and the next population clears the device.
  @Override
  public void removeLeftovers() {}

  @Override
  public boolean occupied() throws IOException {
    try (NativeFile device = NativeFile.openToRead(path, NativeFile.Links.FOLLOWED)) {
      return !firstMibZero(device);
    }
  }

  static boolean firstMibZero(NativeFile device) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment first = arena.allocate(MIB, BLOCK);
      return Sizes.zeros(first, device.read(0, first));
    }
  }

  @Override
  public long available(boolean overwrite) throws IOException {
    try (NativeFile device = NativeFile.openToRead(path, NativeFile.Links.FOLLOWED)) {
      return device.length();
    }
  }

  @Override
  public VolumeWriter open(WriteOptions options) throws IOException {
    if (!options.overwrite() && occupied()) {
      throw VolumeOccupiedException.notAllowed(path, "the device's first MiB is not zero");
    }
    Cancellation cancellation = new Cancellation();
    return new VolumeWriter(new DeviceMedium(this, options, cancellation), cancellation);
  }

  void published() {
    published = true;
  }

  /// Returns empty: a device stores no record.
  @Override
  public Optional<DiskCheck> check(boolean content, Cancellation cancellation) {
    return Optional.empty();
  }

  @Override
  public void delete() throws IOException {
    if (!published) {
      return;
    }
    try (NativeFile device = NativeFile.openDevice(path)) {
      Cancellation never = new Cancellation();
      DeviceRanges ranges = new DeviceRanges(device, device.length(), never);
      ranges.clearFirstMib();
      ranges.punch(0);
      device.sync();
    }
    published = false;
  }
}
