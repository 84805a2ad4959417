package dev.pvcpopulators.diskimage.volume;

import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.OptionalLong;

/// The file or the block device to which a disk is written. This interface hides the difference
/// between the two.
sealed interface Medium extends AutoCloseable permits FileMedium, DeviceMedium {
  /// Returns the number of bytes that were available for a disk when writing began.
  long available();

  /// Checks that a disk fits if its last used byte is directly before `end`.
  void admit(long end) throws IOException;

  /// Checks that a write up to `end` is possible: the disk must fit, as in [#admit], and the
  /// written bytes must not overlap staged bytes.
  void admitBytes(long end) throws IOException;

  /// Prepares the medium; called once before anything is stored.
  ///
  /// @param virtualSize the virtual size in bytes, if known
  void prepare(OptionalLong virtualSize) throws IOException;

  /// Returns the store for guest bytes; call only after [#prepare].
  SparseStore store();

  /// Opens staging; called at most once, after [#prepare].
  ///
  /// @param hostLength length of the source, if known
  /// @param guestEnd end of the guest bytes written so far
  VolumeStaging openStaging(OptionalLong hostLength, long guestEnd) throws IOException;

  /// Creates a new, empty file without a name, on the disk's file system or in the scratch
  /// directory. It is deleted when this medium is closed, or earlier by [#publish].
  ///
  /// @return a path by which this process and its children can open the file
  /// @throws UnsupportedFeatureException if there is no directory for the file
  Path openSpool() throws IOException;

  /// Returns the number of bytes that a file of [#openSpool] can take now.
  long spoolable() throws IOException;

  /// Returns a path by which this process and its children can write the disk until it is
  /// published; call only after [#prepare].
  ///
  /// @throws UnsupportedFeatureException if the volume is a block device
  Path unpublished() throws IOException;

  /// Completes the disk and makes it visible. Called at most once, after [#prepare].
  PublishedDisk publish(DiskRecord record) throws IOException;

  /// Frees all resources. Deletes a disk's file that was not published; on a block device, the
  /// first MiB of such a disk stays zero or is zeroed.
  @Override
  void close() throws IOException;
}
