package dev.pvcpopulators.diskimage.volume;

import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.OptionalLong;

/// The file or the block device to which a disk is written.
sealed interface Medium extends AutoCloseable permits FileMedium, DeviceMedium {
  /// Returns the number of bytes that were available for a disk when this medium was opened.
  long available();

  /// Checks that a disk of `end` bytes fits.
  ///
  /// @throws dev.pvcpopulators.diskimage.ExceedsVolumeException if the disk does not fit
  void admit(long end) throws IOException;

  /// Checks that a write up to `end` is possible: a disk of `end` bytes must fit, as in [#admit],
  /// and the written bytes must not overlap the region that is reserved for the staging.
  ///
  /// @throws dev.pvcpopulators.diskimage.ExceedsVolumeException if the disk does not fit
  /// @throws UnsupportedFeatureException if the written bytes overlap the region of the staging
  default void admitBytes(long end) throws IOException {
    admit(end);
  }

  /// Prepares the medium; called once, before guest bytes or staged bytes are stored.
  ///
  /// @param virtualSize the virtual size in bytes, if known
  void prepare(OptionalLong virtualSize) throws IOException;

  /// Returns the store for guest bytes; call only after [#prepare].
  SparseStore store();

  /// Opens staging; called at most once, after [#prepare].
  ///
  /// @param hostLength length of the source in bytes, if known
  /// @param guestEnd end of the guest bytes written so far
  VolumeStaging openStaging(OptionalLong hostLength, long guestEnd) throws IOException;

  /// Creates a new, empty file without a name. The file is in the volume, or, for a block device,
  /// in the scratch directory. The file is deleted when this medium is closed or, if the file is in
  /// the volume, already by [#publish].
  ///
  /// @return a path by which this process and its children can open the file
  /// @throws UnsupportedFeatureException if the volume is a block device, and there is no scratch
  ///   directory
  Path openSpool() throws IOException;

  /// Returns the number of bytes that can be written now to a file that [#openSpool] creates.
  long spoolable() throws IOException;

  /// Returns a path by which this process and its children can write the disk until it is
  /// published; call only after [#prepare].
  ///
  /// @throws UnsupportedFeatureException if the volume is a block device
  Path unpublished() throws IOException;

  /// Completes the disk and makes it visible. Called at most once, after [#prepare].
  PublishedDisk publish(DiskRecord record) throws IOException;

  /// Frees all resources. If the volume is a directory, deletes the disk's file unless the file
  /// already has its final name. If [#prepare] succeeded on a block device, and the disk was not
  /// published, the first MiB of the device is zero after this method.
  @Override
  void close() throws IOException;
}
