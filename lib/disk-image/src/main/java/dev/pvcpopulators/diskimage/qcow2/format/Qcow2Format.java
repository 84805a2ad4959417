package dev.pvcpopulators.diskimage.qcow2.format;

import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/// Constants of the format (QEMU docs/interop/qcow2), and limits of QEMU (block/qcow2.h) and of
/// this library.
public final class Qcow2Format {
  private Qcow2Format() {}

  /// "QFI\xfb".
  public static final int MAGIC = 0x514649fb;

  public static final int SECTOR = 512;
  static final int HEADER_LENGTH_V2 = 72;
  static final int HEADER_LENGTH_V3 = 104;

  /// Length of the fixed header, including the compression type and its padding.
  public static final int HEADER_LENGTH_KNOWN = 112;

  public static final int MIN_CLUSTER_BITS = 9;
  public static final int MAX_CLUSTER_BITS = 21;

  /// The minimum of cluster_bits for extended L2 entries: a cluster has 32 subclusters of at least
  /// one sector each.
  static final int MIN_EXTENDED_CLUSTER_BITS = 14;

  static final int MAX_REFCOUNT_ORDER = 6;
  static final int SUBCLUSTERS = 32;

  /// The refcount_order of the images that this library writes: refcounts of 16 bits.
  public static final int REFCOUNT_ORDER = 4;

  /// The layout of the 8-byte words in tables.
  public static final ValueLayout.OfLong WORD =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

  /// Maximum length of a backing file's name in bytes.
  public static final int MAX_BACKING_NAME_LENGTH = 1023;

  /// The name of the only format that a backing file may have, as the backing format header
  /// extension stores this name.
  public static final String BACKING_FORMAT = "qcow2";

  /// QEMU's QCOW_MAX_L1_SIZE, in bytes.
  public static final int MAX_L1_LENGTH = 32 << 20;

  /// QEMU's QCOW_MAX_REFTABLE_SIZE, in bytes.
  public static final int MAX_REFCOUNT_TABLE_LENGTH = 8 << 20;

  /// Bits 9–55 of L1 and L2 entries.
  static final long OFFSET_MASK = 0x00ff_ffff_ffff_fe00L;

  /// The lowest host offset that is refused (1 PiB). Real image files are shorter. The cluster
  /// number of a lower host offset has at most 41 bits, so that the cluster number and a 22-bit
  /// index into the L1 table fit into one `long`.
  public static final long MAX_HOST_OFFSET = 1L << 50;
}
