package dev.pvcpopulators.linux;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;

/// The fields of `struct statfs` (statfs(2), 64-bit machines) that this module uses.
///
/// | Offset | Size | Field                                     |
/// |-------:|-----:|-------------------------------------------|
/// |      0 |    8 | magic number of the file system's type    |
/// |      8 |    8 | preferred block size                      |
/// |     16 |    8 | total blocks; 0 = no limit                |
/// |     32 |    8 | blocks available to unprivileged users    |
/// |     72 |    8 | size of these blocks; 0 = see offset 8    |
///
/// @param type magic number (`linux/magic.h`)
/// @param usable bytes that an unprivileged user can still write, at most [#UNLIMITED]
public record FileSystemStatus(long type, long usable) {
  /// The value of [#usable] for a file system that does not count its blocks, such as a tmpfs
  /// without a size limit. A file system with more usable bytes gets this value, too.
  public static final long UNLIMITED = 1L << 60;

  static final int STRUCT_SIZE = 128;

  private static final long EXT4 = 0xEF53;
  private static final long XFS = 0x58465342;
  private static final long BTRFS = 0x9123683EL;

  static FileSystemStatus read(MemorySegment statfs) {
    long unit = statfs.get(JAVA_LONG, 72);
    if (unit == 0) {
      unit = statfs.get(JAVA_LONG, 8);
    }
    if (statfs.get(JAVA_LONG, 16) == 0) {
      return new FileSystemStatus(statfs.get(JAVA_LONG, 0), UNLIMITED);
    }
    long free = statfs.get(JAVA_LONG, 32);
    long usable = free > UNLIMITED / unit ? UNLIMITED : free * unit;
    return new FileSystemStatus(statfs.get(JAVA_LONG, 0), usable);
  }

  /// Returns whether direct I/O is expected to be faster than I/O through the page cache; true on
  /// ext4, XFS and btrfs. On tmpfs the page cache is the storage. On a network file system each
  /// direct write waits for a round trip.
  public boolean directIoPays() {
    return type == EXT4 || type == XFS || type == BTRFS;
  }
}
