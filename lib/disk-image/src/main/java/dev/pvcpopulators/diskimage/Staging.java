package dev.pvcpopulators.diskimage;

import java.io.IOException;

/// Stores host bytes (bytes of the source) until their guest offset is known; see
/// [DiskSink#staging]. The address of a host byte is its offset in the source. After the import,
/// the sink drops all stored bytes that were not moved.
public interface Staging {
  /// Stores host bytes. An implementation may store blocks of zeros without using space.
  ///
  /// @param hostOffset bytes from the beginning of the source
  void keep(long hostOffset, byte[] source, int offset, int length) throws IOException;

  /// Reads stored bytes; a range that was never stored reads as zeros.
  void read(long hostOffset, byte[] target, int offset, int length) throws IOException;

  /// Moves stored bytes to their guest offset in the disk. An implementation may share the bytes by
  /// reflink instead of copying them, and may free the space that the stored bytes took. The caller
  /// must have stored the range, and must not read the range after this call.
  void moveToGuest(long hostOffset, long guestOffset, long length) throws IOException;
}
