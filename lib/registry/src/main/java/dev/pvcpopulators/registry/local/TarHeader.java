package dev.pvcpopulators.registry.local;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.pvcpopulators.diskimage.MalformedImageException;
import java.math.BigInteger;
import java.util.Arrays;

/// One header block (POSIX.1-2017, pax, "ustar Interchange Format"; GNU tar manual, "Basic Tar
/// Format").
///
/// | Offset | Size | Field                                                              |
/// |-------:|-----:|--------------------------------------------------------------------|
/// |      0 |  100 | name                                                               |
/// |    124 |   12 | size: octal, or base-256 with the top bit set (GNU)                |
/// |    148 |    8 | checksum: octal sum of all bytes, its own eight taken as spaces    |
/// |    156 |    1 | type flag                                                          |
/// |    157 |  100 | name of what a link points to                                      |
/// |    257 |    6 | magic: `ustar` and NUL (POSIX); GNU has a space, and no prefix     |
/// |    345 |  155 | prefix of the name, before a `/`                                   |
///
/// @param size bytes of data that follow; 0 for links, directories and devices, whatever the field
///   says
record TarHeader(String name, long size, Type type, String linkName) {
  private static final int NAME = 0;
  private static final int NAME_LENGTH = 100;
  private static final int SIZE = 124;
  private static final int SIZE_LENGTH = 12;
  private static final int CHECKSUM = 148;
  private static final int CHECKSUM_LENGTH = 8;
  private static final int TYPE = 156;
  private static final int LINK_NAME = 157;
  private static final int MAGIC = 257;
  private static final byte[] POSIX_MAGIC = {'u', 's', 't', 'a', 'r', 0};
  private static final int PREFIX = 345;
  private static final int PREFIX_LENGTH = 155;

  /// What an entry is, as far as it matters here.
  enum Type {
    FILE,
    HARD_LINK,
    SYMBOLIC_LINK,
    /// A directory, a device, a pipe: no data.
    EMPTY,
    /// GNU: the data is the next entry's name.
    LONG_NAME,
    /// GNU: the data is the next entry's link name.
    LONG_LINK_NAME,
    /// pax: the data is records for the next entry.
    EXTENDED,
    /// pax: the data is records for all later entries.
    GLOBAL,
    /// GNU: a file of which only some parts are stored.
    SPARSE,
    /// Anything else; its data is skipped.
    OTHER;

    private static Type of(int flag, String name) {
      return switch (flag) {
        case 0, '0', '7' -> name.endsWith("/") ? EMPTY : FILE;
        case '1' -> HARD_LINK;
        case '2' -> SYMBOLIC_LINK;
        case '3', '4', '5', '6' -> EMPTY;
        case 'L' -> LONG_NAME;
        case 'K' -> LONG_LINK_NAME;
        case 'x', 'X' -> EXTENDED;
        case 'g' -> GLOBAL;
        case 'S' -> SPARSE;
        default -> OTHER;
      };
    }

    /// Whether data follows the header.
    boolean data() {
      return switch (this) {
        case HARD_LINK, SYMBOLIC_LINK, EMPTY -> false;
        case FILE, LONG_NAME, LONG_LINK_NAME, EXTENDED, GLOBAL, SPARSE, OTHER -> true;
      };
    }
  }

  /// @param offset of the block in the archive, for messages
  /// @throws MalformedImageException where the checksum or the size is wrong
  static TarHeader read(byte[] block, long offset) throws MalformedImageException {
    if (number(block, CHECKSUM, CHECKSUM_LENGTH, offset) != checksum(block)) {
      throw malformed(offset, "expected a header, found a block with another checksum");
    }
    String name = text(block, NAME, NAME_LENGTH);
    int magicEnd = MAGIC + POSIX_MAGIC.length;
    if (Arrays.equals(block, MAGIC, magicEnd, POSIX_MAGIC, 0, POSIX_MAGIC.length)) {
      String prefix = text(block, PREFIX, PREFIX_LENGTH);
      name = prefix.isEmpty() ? name : prefix + "/" + name;
    }
    Type type = Type.of(block[TYPE] & 0xff, name);
    long size = type.data() ? number(block, SIZE, SIZE_LENGTH, offset) : 0;
    return new TarHeader(name, size, type, text(block, LINK_NAME, NAME_LENGTH));
  }

  private static int checksum(byte[] block) {
    int sum = 0;
    for (int i = 0; i < block.length; i++) {
      boolean own = i >= CHECKSUM && i < CHECKSUM + CHECKSUM_LENGTH;
      sum += own ? ' ' : block[i] & 0xff;
    }
    return sum;
  }

  private static long number(byte[] block, int start, int length, long offset)
      throws MalformedImageException {
    if ((block[start] & 0x80) != 0) {
      byte[] bytes = Arrays.copyOfRange(block, start, start + length);
      // The top bit is the mark, the next one the sign.
      bytes[0] = (byte) ((bytes[0] & 0x7f) | (bytes[0] & 0x40) << 1);
      BigInteger value = new BigInteger(bytes);
      if (value.signum() < 0 || value.bitLength() >= Long.SIZE) {
        throw malformed(offset, "expected a size from 0 to " + Long.MAX_VALUE);
      }
      return value.longValue();
    }
    String digits = text(block, start, length).strip();
    if (digits.isEmpty()) {
      return 0;
    }
    if (!digits.chars().allMatch(c -> c >= '0' && c <= '7')) {
      throw malformed(offset, "expected an octal number in a header");
    }
    return Long.parseLong(digits, 8);
  }

  private static String text(byte[] block, int start, int length) {
    int end = start;
    while (end < start + length && block[end] != 0) {
      end++;
    }
    return new String(block, start, end - start, UTF_8);
  }

  private static MalformedImageException malformed(long offset, String reason) {
    return new MalformedImageException("tar header", offset, reason);
  }
}
