package dev.pvcpopulators.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.MemorySegment;
import java.time.Instant;

/// The fields of `struct statx` (statx(2)) that this module uses. The structure has the same layout
/// on all processor architectures.
///
/// | Offset | Size | Field                            |
/// |-------:|-----:|----------------------------------|
/// |     16 |    4 | number of hard links             |
/// |     28 |    2 | type and mode                    |
/// |     32 |    8 | inode                            |
/// |     40 |    8 | length in bytes                  |
/// |     48 |    8 | allocated blocks of 512 bytes    |
/// |     80 |   12 | birth: seconds, nanoseconds      |
/// |     96 |   12 | change of the status (ctime)     |
/// |    112 |   12 | change of the data (mtime)       |
/// |    136 |    8 | device, major and minor          |
///
/// @param mode type and permission bits as in `st_mode`
/// @param length the length in bytes
/// @param allocated the total size of the allocated blocks in bytes
/// @param born time of creation; the epoch if the file system does not record it
/// @param changed time of the last change of data or status (owner, mode, attributes, names); no
///   program can set this time
/// @param modified time of the last change of the data, or a time set by a program (utimensat(2))
public record FileStatus(
    int mode,
    int links,
    long device,
    long inode,
    long length,
    long allocated,
    Instant born,
    Instant changed,
    Instant modified) {
  static final int STRUCT_SIZE = 256;

  /// STATX_BASIC_STATS and STATX_BTIME.
  static final int WANTED = 0xfff;

  private static final int TYPE_MASK = 0xf000;
  private static final int REGULAR = 0x8000;
  private static final int SYMBOLIC_LINK = 0xa000;
  private static final int SECTOR = 512;

  static FileStatus read(MemorySegment statx) {
    return new FileStatus(
        Short.toUnsignedInt(statx.get(JAVA_SHORT, 28)),
        statx.get(JAVA_INT, 16),
        ((long) statx.get(JAVA_INT, 136) << 32) | Integer.toUnsignedLong(statx.get(JAVA_INT, 140)),
        statx.get(JAVA_LONG, 32),
        statx.get(JAVA_LONG, 40),
        statx.get(JAVA_LONG, 48) * SECTOR,
        time(statx, 80),
        time(statx, 96),
        time(statx, 112));
  }

  private static Instant time(MemorySegment statx, long offset) {
    return Instant.ofEpochSecond(statx.get(JAVA_LONG, offset), statx.get(JAVA_INT, offset + 8));
  }

  public boolean regularFile() {
    return (mode & TYPE_MASK) == REGULAR;
  }

  public boolean symbolicLink() {
    return (mode & TYPE_MASK) == SYMBOLIC_LINK;
  }

  /// Returns whether both statuses describe the same file. If a new file reuses the inode number of
  /// a removed file, the two files are distinguished only if the file system records the time of
  /// creation.
  public boolean sameFile(FileStatus other) {
    return device == other.device && inode == other.inode && born.equals(other.born);
  }
}
