package dev.pvcpopulators.diskimage.volume;

import static dev.pvcpopulators.diskimage.volume.Sizes.BLOCK;
import static dev.pvcpopulators.diskimage.volume.Sizes.MIB;

import dev.pvcpopulators.linux.NativeFile;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// Zeroes ranges of a block device in steps, and checks for cancellation before each step.
///
/// @param size the size of the device in bytes
record DeviceRanges(NativeFile device, long size, Cancellation cancellation) {
  private static final long PUNCH_STEP = 1L << 30;

  /// This step is smaller than `PUNCH_STEP`, because the kernel may have to write the zeros.
  private static final long ZERO_STEP = 128L * MIB;

  /// Zeroes the first MiB and waits until the zeros are on stable storage.
  void clearFirstMib() throws IOException {
    zeroByWriting(0, Math.min(MIB, size));
    device.syncData();
  }

  /// Unmaps the range from an offset to the end of the device.
  ///
  /// @return false if the device does not support unmapping; the first part of the range may
  ///   already be unmapped
  boolean punch(long from) throws IOException {
    for (long offset = from; offset < size; offset += PUNCH_STEP) {
      cancellation.check();
      if (!device.punch(offset, Math.min(PUNCH_STEP, size - offset))) {
        return false;
      }
    }
    return true;
  }

  /// Zeroes a range. If the kernel cannot zero a range of this device, this method writes zeros.
  void zero(long from, long end) throws IOException {
    for (long offset = from; offset < end; offset += ZERO_STEP) {
      cancellation.check();
      long length = Math.min(ZERO_STEP, end - offset);
      if (!device.zero(offset, length)) {
        zeroByWriting(offset, length);
      }
    }
  }

  private void zeroByWriting(long from, long length) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment zeros = arena.allocate(MIB, BLOCK);
      for (long done = 0; done < length; done += MIB) {
        cancellation.check();
        device.write(from + done, zeros.asSlice(0, Math.min(MIB, length - done)));
      }
    }
  }
}
