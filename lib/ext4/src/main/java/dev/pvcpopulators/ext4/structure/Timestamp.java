package dev.pvcpopulators.ext4.structure;

/// A time of an inode: 34 bits of seconds and 30 of nanoseconds (kernel documentation, ext4, "Inode
/// Timestamps").
///
/// @param seconds since 1970-01-01T00:00:00Z; what an inode cannot have becomes the nearest that it
///   can, as Linux does it
/// @param nanoseconds 0–999,999,999
public record Timestamp(long seconds, int nanoseconds) {
  /// 1970-01-01T00:00:00Z.
  public static final Timestamp EPOCH = new Timestamp(0, 0);
}
