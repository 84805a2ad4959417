package dev.pvcpopulators.diskimage;

import java.io.IOException;

/// Host bytes kept in the volume itself until their guest offset is known, addressed by their
/// offset in the source. What was kept and never moved is dropped by the sink.
public interface Staging {
  /// Keeps host bytes. Blocks of zeros take no space.
  ///
  /// @param hostOffset bytes from the beginning of the source
  void keep(long hostOffset, byte[] source, int offset, int length) throws IOException;

  /// Reads bytes kept before; a range that was never kept reads as zeros.
  void read(long hostOffset, byte[] target, int offset, int length) throws IOException;

  /// Moves kept bytes to their place in the disk, by reflink, in-kernel copy or plain copy,
  /// whichever the volume can, and gives their space back. The range was kept and is not read
  /// again.
  void moveToGuest(long hostOffset, long guestOffset, long length) throws IOException;
}
