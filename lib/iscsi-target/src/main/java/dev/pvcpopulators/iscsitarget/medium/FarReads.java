package dev.pvcpopulators.iscsitarget.medium;

/// Fetches ranges of a disk before the stream reaches them.
@FunctionalInterface
public interface FarReads {
  /// Ignores all requests. Used for disks that arrive only through the stream.
  FarReads NONE = (_, _) -> {};

  /// Reports that a reader waits for a range far ahead of the stream. This method runs on the
  /// thread that calls [ArrivingMedium#arrival], so it must return immediately and must not throw.
  /// Several readers may request the same range.
  ///
  /// The implementation delivers the fetched data through [ArrivingMedium#arriveAhead]. If the
  /// implementation fetches no data, the reader waits for the stream.
  ///
  /// @param offset in bytes, a multiple of 4,096
  /// @param length in bytes, a multiple of 4,096 unless the range ends at the end of the disk
  void wanted(long offset, long length);
}
