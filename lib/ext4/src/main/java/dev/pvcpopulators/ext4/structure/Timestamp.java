package dev.pvcpopulators.ext4.structure;

/// A time of an inode: 34 bits of seconds and 30 bits of nanoseconds (kernel documentation, ext4,
/// "Inode Timestamps").
///
/// @param seconds the seconds since 1970-01-01T00:00:00Z; a time outside the range of an inode
///   becomes the nearest second in that range, as in Linux (fs/inode.c, `timestamp_truncate`)
/// @param nanoseconds the nanoseconds of the second, 0–999,999,999; becomes 0 in the first and last
///   second of the range
public record Timestamp(long seconds, int nanoseconds) {
  /// 1901-12-13T20:45:52Z.
  public static final long MIN_SECONDS = Integer.MIN_VALUE;

  /// 2446-05-10T22:38:55Z.
  public static final long MAX_SECONDS = (1L << 34) - 1 + MIN_SECONDS;

  /// 1970-01-01T00:00:00Z.
  public static final Timestamp EPOCH = new Timestamp(0, 0);

  private static final int MAX_NANOSECONDS = 999_999_999;
  private static final int EPOCH_BITS = 2;
  private static final int EPOCH_MASK = (1 << EPOCH_BITS) - 1;

  public Timestamp {
    if (nanoseconds < 0 || nanoseconds > MAX_NANOSECONDS) {
      throw new IllegalArgumentException(
          "Nanoseconds are 0 to " + MAX_NANOSECONDS + ", found " + nanoseconds);
    }
    if (seconds <= MIN_SECONDS || seconds >= MAX_SECONDS) {
      seconds = Math.clamp(seconds, MIN_SECONDS, MAX_SECONDS);
      nanoseconds = 0;
    }
  }

  /// Returns the time that two fields of an inode contain. All values of the fields are valid;
  /// nanoseconds above the maximum become 999,999,999.
  ///
  /// @param base the first field: the lower 32 bits of the seconds, signed
  /// @param extra the second field: the epoch in the lower 2 bits, and the nanoseconds in the other
  ///   bits
  static Timestamp of(int base, int extra) {
    long epoch = (long) (extra & EPOCH_MASK) << Integer.SIZE;
    return new Timestamp(base + epoch, Math.min(extra >>> EPOCH_BITS, MAX_NANOSECONDS));
  }

  /// Returns the first field: the lower 32 bits of the seconds.
  int base() {
    return (int) seconds;
  }

  /// Returns the second field: the epoch and the nanoseconds.
  int extra() {
    long epoch = (seconds - base()) >> Integer.SIZE;
    return (nanoseconds << EPOCH_BITS) | ((int) epoch & EPOCH_MASK);
  }
}
