package dev.pvcpopulators.iscsitarget.block.cdb;

import java.nio.ByteBuffer;

/// The positions of LOGICAL BLOCK ADDRESS and TRANSFER LENGTH in the CDBs of each size (SPC-4,
/// section 4.2.5), and the flags that the commands of SBC-3 share.
///
/// | Size | LOGICAL BLOCK ADDRESS | TRANSFER LENGTH | flags  |
/// |-----:|-----------------------|-----------------|--------|
/// |    6 | bytes 1 (5 bits) to 3 | byte 4, 0 = 256 | none   |
/// |   10 | bytes 2 to 5          | bytes 7 and 8   | byte 1 |
/// |   12 | bytes 2 to 5          | bytes 6 to 9    | byte 1 |
/// |   16 | bytes 2 to 9          | bytes 10 to 13  | byte 1 |
public enum Cdb {
  SIX(4, "ff ff ff 04"),
  TEN(7, "ff ff ff ff 00 ff ff 04"),
  TWELVE(6, "ff ff ff ff ff ff ff ff 00 04"),
  SIXTEEN(10, "ff ff ff ff ff ff ff ff ff ff ff ff 00 04");

  /// The index of the byte that holds the flags.
  public static final int FLAGS = 1;

  private static final int GROUP_SHIFT = 5;
  private static final int PROTECT = 0xE0;
  private static final int FUA = 0x08;
  private static final int BYTCHK = 0x06;
  private static final int SIX_ADDRESS = 0x1F_FFFF;
  private static final int SIX_LONGEST = 256;

  private final int lengthField;
  private final String usage;

  Cdb(int lengthField, String usage) {
    this.lengthField = lengthField;
    this.usage = usage;
  }

  /// Returns the name of a command with the size of its CDB in bytes, such as "READ (10)".
  ///
  /// @param command the name without the size
  public String named(String command) {
    int length = Short.BYTES + (usage.length() + 1) / "ff ".length();
    return command + " (" + length + ")";
  }

  /// Returns the CDB usage data in hexadecimal digits: the operation code, and then for each other
  /// byte of the CDB a mask of the bits that the command evaluates.
  ///
  /// @param flags the evaluated bits of byte 1
  public String usage(int opcode, int flags) {
    return "%02x %02x %s".formatted(opcode, flags, usage);
  }

  /// Returns the size of the CDBs of an operation code, by its group (SPC-4, table 19).
  ///
  /// @param opcode the operation code of a command of 6, 10, 12 or 16 bytes
  public static Cdb of(int opcode) {
    return switch (opcode >> GROUP_SHIFT) {
      case 0 -> SIX;
      case 1, 2 -> TEN;
      case 4 -> SIXTEEN;
      case 5 -> TWELVE;
      default -> throw new IllegalArgumentException("No size for %02xh".formatted(opcode));
    };
  }

  /// Returns LOGICAL BLOCK ADDRESS, unsigned.
  public long lba(ByteBuffer cdb) {
    return switch (this) {
      case SIX -> cdb.getInt(0) & SIX_ADDRESS;
      case TEN, TWELVE -> Integer.toUnsignedLong(cdb.getInt(2));
      case SIXTEEN -> cdb.getLong(2);
    };
  }

  /// Returns TRANSFER LENGTH, VERIFICATION LENGTH or NUMBER OF LOGICAL BLOCKS: 0 to 2^32 − 1
  /// blocks.
  public long blocks(ByteBuffer cdb) {
    return switch (this) {
      case SIX -> cdb.get(4) == 0 ? SIX_LONGEST : Byte.toUnsignedInt(cdb.get(4));
      case TEN -> Short.toUnsignedInt(cdb.getShort(7));
      case TWELVE -> Integer.toUnsignedLong(cdb.getInt(6));
      case SIXTEEN -> Integer.toUnsignedLong(cdb.getInt(10));
    };
  }

  /// Returns the index of the first byte of the field that [#blocks] reads, for sense data.
  public int lengthField() {
    return lengthField;
  }

  /// Returns whether RDPROTECT, WRPROTECT, VRPROTECT or ORPROTECT requests protection information.
  public boolean protect(ByteBuffer cdb) {
    return this != SIX && (cdb.get(FLAGS) & PROTECT) != 0;
  }

  /// Returns whether FUA is set. If FUA is set, the command must access the medium itself, not only
  /// a cache.
  public boolean fua(ByteBuffer cdb) {
    return this != SIX && (cdb.get(FLAGS) & FUA) != 0;
  }

  /// Returns BYTCHK of VERIFY or WRITE AND VERIFY, 0 to 3.
  public static int bytchk(ByteBuffer cdb) {
    return (cdb.get(FLAGS) & BYTCHK) >> 1;
  }
}
