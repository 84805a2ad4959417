package dev.pvcpopulators.iscsitarget.medium;

/// Whoever can fetch a range of a disk before the stream reaches it.
@FunctionalInterface
public interface FarReads {
  /// For disks of which only the stream is there.
  FarReads NONE = (_, _) -> {};

  /// Tells that a reader waits for a range far ahead of the stream. Called by the reader's thread:
  /// returns at once and throws nothing. Several readers may want the same range.
  ///
  /// What is fetched comes back through [ArrivingMedium#arriveAhead]; where nothing does, the
  /// reader waits for the stream.
  ///
  /// @param offset bytes, a multiple of 4,096
  /// @param length bytes, a multiple of 4,096 or up to the disk's end
  void wanted(long offset, long length);
}
