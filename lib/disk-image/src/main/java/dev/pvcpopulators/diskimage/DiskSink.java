package dev.pvcpopulators.diskimage;

import java.io.IOException;
import java.util.OptionalLong;

/// Where a decoder puts guest bytes: a raw disk that reads as zeros wherever nothing was written.
///
/// A decoder calls [#expect] as soon as it knows the virtual size, then [#write],
/// [Staging#moveToGuest] and [#zeros] in any order of offsets, **each guest byte at most once, by
/// one of the three**. When it has ended without an exception, what it told nothing of is zeros.
/// All calls come from one thread at a time. What is written may be buffered; nothing is visible to
/// anybody before the owner of the sink publishes it.
public interface DiskSink {
  /// Announces the virtual size, at most once, before the first write where the format knows it;
  /// where it does not, not at all or behind the last write, as the decoder says.
  ///
  /// @param virtualSize bytes the guest will see, at least 0
  /// @throws ExceedsVolumeException when that cannot fit; nothing was written then
  void expect(long virtualSize) throws IOException;

  /// Writes guest bytes. Zeros in the source become holes. The array may be reused at once.
  ///
  /// @param guestOffset bytes from the beginning of the disk
  /// @throws ExceedsVolumeException past the volume's end, or when the volume ran full
  void write(long guestOffset, byte[] source, int offset, int length) throws IOException;

  /// Says that guest bytes are zeros and that nothing will be written there: a hint, given as early
  /// as the source tells it, for whoever reads the disk while it arrives. Not every byte that reads
  /// as zeros is told so; a decoder may as well write zeros, or say nothing.
  ///
  /// @param guestOffset bytes from the beginning of the disk
  /// @param length bytes, at least 1; within the virtual size
  default void zeros(long guestOffset, long length) throws IOException {}

  /// A place in the same volume for host bytes whose guest offset is not known yet. Opened by the
  /// first call and owned by the sink; later calls give the same one.
  ///
  /// @param hostLength length of the source in bytes where it is known
  /// @throws UnsupportedFeatureException where this volume has no room to stage in
  Staging staging(OptionalLong hostLength) throws IOException;
}
