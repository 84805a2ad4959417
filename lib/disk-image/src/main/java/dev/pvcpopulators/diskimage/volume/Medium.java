package dev.pvcpopulators.diskimage.volume;

import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.OptionalLong;

/// What differs between a file and a block device while a disk is written.
sealed interface Medium extends AutoCloseable permits FileMedium, DeviceMedium {
  /// Bytes that a disk could have when writing began.
  long available();

  /// Checks that a disk of which bytes up to that end are used fits.
  void admit(long end) throws IOException;

  /// The same for bytes that are about to be written, which may not lie where staged bytes do.
  void admitBytes(long end) throws IOException;

  /// Called once before anything is stored.
  ///
  /// @param virtualSize where it is known
  void prepare(OptionalLong virtualSize) throws IOException;

  /// Where guest bytes go; only after [#prepare].
  SparseStore store();

  /// Called at most once, after [#prepare].
  ///
  /// @param hostLength length of the source where it is known
  /// @param guestEnd where the guest bytes that were written so far end
  VolumeStaging openStaging(OptionalLong hostLength, long guestEnd) throws IOException;

  /// A new, empty file without a name, on the disk's file system or in the scratch directory, which
  /// is gone when this is closed.
  ///
  /// @return what this process and its children can open it by
  /// @throws UnsupportedFeatureException where there is no place for it
  Path openSpool() throws IOException;

  /// Bytes that a file of [#openSpool] can take now.
  long spoolable() throws IOException;

  /// Where this process and its children can write the disk until it is published; only after
  /// [#prepare].
  ///
  /// @throws UnsupportedFeatureException where the volume has no files
  Path unpublished() throws IOException;

  /// Completes the disk and makes it visible. Called at most once, after [#prepare].
  PublishedDisk publish(DiskRecord record) throws IOException;

  /// Gives everything back; a disk that was not published is gone.
  @Override
  void close() throws IOException;
}
