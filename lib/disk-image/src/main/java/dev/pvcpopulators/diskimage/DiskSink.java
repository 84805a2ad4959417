package dev.pvcpopulators.diskimage;

import java.io.IOException;
import java.util.OptionalLong;

/// The destination of guest bytes from a decoder: a raw disk that reads as zeros where nothing was
/// written.
///
/// A decoder calls [#expect] as soon as it knows the virtual size. It calls [#write],
/// [Staging#moveToGuest] and [#zeros] in any order of offsets. **All these calls together cover
/// each guest byte at most once.** If the decoder ends without an exception, all bytes for which it
/// called none of the three methods are zeros. All calls come from one thread at a time. Written
/// data may be buffered. The sink decides whether data is visible before the disk is complete.
public interface DiskSink {
  /// Announces the virtual size. The decoder calls this method at most once: before the first write
  /// if it knows the size by then; otherwise after the last write, or never. The decoder's
  /// documentation says which of these three cases applies.
  ///
  /// @param virtualSize bytes that the guest will see, at least 0
  /// @throws ExceedsVolumeException if a disk of that size does not fit into the volume; in this
  ///   case, this call has written no guest bytes
  void expect(long virtualSize) throws IOException;

  /// Writes guest bytes. Blocks of zeros may become holes. After this call, the caller may reuse
  /// the array.
  ///
  /// @param guestOffset bytes from the beginning of the disk
  /// @throws ExceedsVolumeException if the bytes are beyond the volume's end, or the volume became
  ///   full
  void write(long guestOffset, byte[] source, int offset, int length) throws IOException;

  /// Announces that guest bytes are zeros and will not be written. The announcement is a hint for
  /// programs that read the disk before the import has ended. The decoder makes the announcement as
  /// early as the source allows. A decoder need not announce every zero byte: it may write zeros
  /// instead, or do nothing.
  ///
  /// @param guestOffset bytes from the beginning of the disk
  /// @param length bytes, at least 1; within the virtual size
  default void zeros(long guestOffset, long length) throws IOException {}

  /// Returns the staging area, which keeps host bytes (bytes of the source) until their guest
  /// offset is known. A `VolumeWriter` keeps the area in the disk's volume or, if the volume is a
  /// block device without space for the area, in the scratch directory. The first call opens the
  /// area, and later calls return the same area. The sink owns the area.
  ///
  /// @param hostLength length of the source in bytes, if known
  /// @throws UnsupportedFeatureException if there is no space for staging
  Staging staging(OptionalLong hostLength) throws IOException;
}
