package dev.pvcpopulators.diskimage.qcow2.format;

import java.io.IOException;
import java.lang.foreign.MemorySegment;

/// The bytes of an image file, independent of their current location.
@FunctionalInterface
public interface HostBytes {
  /// Reads until the segment is full or the file ends.
  ///
  /// @param hostOffset bytes from the beginning of the file
  /// @param target native memory
  /// @return bytes read
  long read(long hostOffset, MemorySegment target) throws IOException;
}
