package dev.pvcpopulators.iscsitarget.block.cdb;

/// The limits of block commands, in logical blocks unless stated otherwise. If the comment of a
/// limit begins with the name of a field, the block limits page (B0h) reports the limit in this
/// field. For a read-only device, the fields of UNMAP are 0.
public final class BlockLimits {
  /// The binary logarithm of the size of a logical block in bytes.
  public static final int BLOCK_SHIFT = 9;

  /// MAXIMUM TRANSFER LENGTH: 32 MiB.
  public static final int TRANSFER = 1 << 16;

  /// OPTIMAL TRANSFER LENGTH: 1 MiB, four bursts of 256 KiB, which is the default MaxBurstLength of
  /// RFC 7143.
  public static final int OPTIMAL_TRANSFER = 1 << 11;

  /// OPTIMAL TRANSFER LENGTH GRANULARITY: 4 KiB, one page of the page cache.
  public static final int OPTIMAL_GRANULARITY = 8;

  /// MAXIMUM COMPARE AND WRITE LENGTH: 64 KiB.
  public static final int COMPARE_AND_WRITE = 128;

  /// MAXIMUM ATOMIC TRANSFER LENGTH: 128 KiB.
  public static final int ATOMIC = 256;

  /// MAXIMUM WRITE SAME LENGTH: 2 GiB, so that one command ends in seconds.
  public static final int WRITE_SAME = 1 << 22;

  /// MAXIMUM UNMAP LBA COUNT: no limit, because most file systems make a hole without writing data,
  /// and the command can be aborted between two parts of the range.
  public static final int UNMAP = 0xFFFF_FFFF;

  /// MAXIMUM UNMAP BLOCK DESCRIPTOR COUNT: 256.
  public static final int UNMAP_DESCRIPTORS = 256;

  /// OPTIMAL UNMAP GRANULARITY: 4 KiB, the unit in which file systems punch holes.
  public static final int UNMAP_GRANULARITY = 8;

  /// The maximum total size in bytes of the staging buffers of one device. A staging buffer holds
  /// the data of a command that waits for an initiator. If the total size with a command's buffer
  /// would exceed the maximum, the command ends with BUSY.
  public static final long STAGED = 4 << 20;

  /// The maximum length in bytes of a READ or WRITE that counts as brief (`Command#brief`).
  public static final long BRIEF = 1 << 20;

  private BlockLimits() {}
}
