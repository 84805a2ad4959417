package dev.pvcpopulators.diskimage.qcow2.format;

import java.io.IOException;
import java.lang.foreign.MemorySegment;

/// The bytes of an image file, including bytes that are not yet written to the file.
@FunctionalInterface
public interface HostBytes {
  /// Reads until the segment is full or the file ends.
  ///
  /// @param hostOffset bytes from the beginning of the file
  /// @param target native memory
  /// @return bytes read
  long read(long hostOffset, MemorySegment target) throws IOException;

  /// Reads as [#read(long, MemorySegment)] does, but into native or heap memory.
  ///
  /// @param scratch native memory through which the bytes are copied if the target is not native
  default long read(long hostOffset, MemorySegment target, MemorySegment scratch)
      throws IOException {
    if (target.isNative()) {
      return read(hostOffset, target);
    }
    long length = target.byteSize();
    long done = 0;
    long count = -1;
    while (done < length && count != 0) {
      MemorySegment part = scratch.asSlice(0, Math.min(scratch.byteSize(), length - done));
      count = read(hostOffset + done, part);
      MemorySegment.copy(part, 0, target, done, count);
      done += count;
    }
    return done;
  }
}
