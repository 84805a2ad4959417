package dev.pvcpopulators.diskimage;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/// The kind of content of a disk, as recognised from the first bytes that a guest sees.
///
/// [#UNKNOWN] is only a hint that the source may not be a disk. A disk in use may also have no
/// known structure: a database may use a disk without partitions, and an encrypted disk may have no
/// header.
public enum DiskContent {
  PARTITION_TABLE("partition table"),
  FILE_SYSTEM("file system"),
  LVM("LVM physical volume"),
  RAID("RAID member"),
  LUKS("LUKS container"),
  ISO_9660("ISO 9660 image"),
  SWAP("swap space"),
  /// All examined bytes are zeros, as on a new disk.
  BLANK("blank"),
  /// None of the above.
  UNKNOWN("unknown");

  /// Number of bytes that [#of] needs to find every known structure. The last 4 KiB of these bytes
  /// can hold the superblock of ReiserFS or Btrfs.
  public static final int HEAD_LENGTH = 68 << 10;

  private static final int BOOT_SIGNATURE = 510;

  /// Offsets and magic numbers. The first match in this list decides, because a disk can match
  /// several entries: a hybrid ISO image also has a partition table, and the bytes after a
  /// partition table may contain the remains of an older file system.
  private static final List<Structure> STRUCTURES =
      List.of(
          new Structure(LUKS, 0, "LUKS\u00ba\u00be"),
          new Structure(ISO_9660, 0x8001, "CD001"),
          new Structure(FILE_SYSTEM, 0x8001, "BEA01"),
          new Structure(PARTITION_TABLE, BOOT_SIGNATURE, "U\u00aa"),
          new Structure(PARTITION_TABLE, 512, "EFI PART"),
          new Structure(PARTITION_TABLE, 4096, "EFI PART"),
          new Structure(PARTITION_TABLE, 0, "ER\2\0"),
          new Structure(PARTITION_TABLE, 512, "WEV\u0082"),
          new Structure(LVM, 0, "LABELONE"),
          new Structure(LVM, 512, "LABELONE"),
          new Structure(LVM, 1024, "LABELONE"),
          new Structure(LVM, 1536, "LABELONE"),
          new Structure(RAID, 0, "\u00fcN+\u00a9"),
          new Structure(RAID, 4096, "\u00fcN+\u00a9"),
          new Structure(SWAP, 4086, "SWAPSPACE2"),
          new Structure(FILE_SYSTEM, 0, "XFSB"),
          new Structure(FILE_SYSTEM, 0, "hsqs"),
          new Structure(FILE_SYSTEM, 32, "NXSB"),
          new Structure(FILE_SYSTEM, 0x438, "S\u00ef"),
          new Structure(FILE_SYSTEM, 1024, "\u0010 \u00f5\u00f2"),
          new Structure(FILE_SYSTEM, 1024, "\u00e2\u00e1\u00f5\u00e0"),
          new Structure(FILE_SYSTEM, 1024, "H+"),
          new Structure(FILE_SYSTEM, 1024, "HX"),
          new Structure(FILE_SYSTEM, 0x8000, "JFS1"),
          new Structure(FILE_SYSTEM, 0x10034, "ReIs"),
          new Structure(FILE_SYSTEM, 0x10040, "_BHRfS_M"));

  private final String words;

  DiskContent(String words) {
    this.words = words;
  }

  /// Returns the name used in messages.
  public String words() {
    return words;
  }

  /// Searches for the known structures.
  ///
  /// @param head the disk from its beginning, at most [#HEAD_LENGTH] bytes
  public static DiskContent of(byte[] head) {
    return STRUCTURES.stream()
        .filter(structure -> Magic.at(head, structure.offset(), structure.magic()))
        .map(Structure::content)
        .findFirst()
        .orElseGet(() -> Arrays.equals(head, new byte[head.length]) ? BLANK : UNKNOWN);
  }

  /// Returns a notice for the user if the content is [#UNKNOWN]; otherwise empty.
  public Optional<String> notice() {
    return this == UNKNOWN
        ? Optional.of(
            "the disk has neither a partition table nor a file system, LVM, LUKS or ISO 9660 that is"
                + " known here; make sure that the source is a disk")
        : Optional.empty();
  }

  private record Structure(DiskContent content, int offset, String magic) {}
}
