package dev.pvcpopulators.diskimage.archive;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.TarChecksum;
import java.math.BigInteger;
import java.util.Arrays;

/// One header block of a tar archive (POSIX.1-2017, pax, "ustar Interchange Format"; GNU tar
/// manual, "Basic Tar Format").
///
/// | Offset | Size | Field                                                              |
/// |-------:|-----:|--------------------------------------------------------------------|
/// |      0 |  100 | name                                                               |
/// |    100 |    8 | mode                                                               |
/// |    108 |    8 | user ID                                                            |
/// |    116 |    8 | group ID                                                           |
/// |    124 |   12 | size                                                               |
/// |    136 |   12 | time of modification, seconds since 1970                           |
/// |    148 |    8 | checksum                                                           |
/// |    156 |    1 | type flag                                                          |
/// |    157 |  100 | name of a link's target                                            |
/// |    257 |    6 | magic: `ustar` and NUL (POSIX), or `ustar` and a space (GNU)       |
/// |    329 |    8 | major number of a device                                           |
/// |    337 |    8 | minor number of a device                                           |
/// |    345 |  155 | prefix (POSIX only): the full name is prefix, `/`, name            |
/// |    386 |   96 | GNU sparse: offset and length of each of the first 4 data parts    |
/// |    482 |    1 | GNU sparse: not 0 if a block with further data parts follows       |
/// |    483 |   12 | GNU sparse: length of the file, holes included                     |
/// |    508 |    4 | `tar` and NUL (star)                                               |
///
/// Numbers are octal, or base 256 if the top bit of their first byte is set (GNU). In a header with
/// the magic of star, the prefix has only 131 bytes.
final class TarHeader {
  static final int LENGTH = 512;
  static final int NUMBER_LENGTH = 12;
  static final int SPARSE_PARTS = 386;
  static final int SPARSE_MORE = 482;

  private static final int NAME_LENGTH = 100;
  private static final int MODE = 100;
  private static final int USER = 108;
  private static final int GROUP = 116;
  private static final int SHORT_NUMBER_LENGTH = 8;
  private static final int SIZE = 124;
  private static final int MODIFIED = 136;
  private static final int TYPE = 156;
  private static final int LINK_NAME = 157;
  private static final int MAGIC = 257;
  private static final byte[] POSIX_MAGIC = {'u', 's', 't', 'a', 'r', 0};
  private static final int DEVICE_MAJOR = 329;
  private static final int DEVICE_MINOR = 337;
  private static final int PREFIX = 345;
  private static final int PREFIX_LENGTH = 155;
  private static final int STAR_PREFIX_LENGTH = 131;
  private static final int SPARSE_LENGTH = 483;
  private static final int STAR_MAGIC = 508;
  private static final byte[] STAR = {'t', 'a', 'r', 0};

  private final byte[] block;
  private final long offset;

  /// Creates a header.
  ///
  /// @param block the 512 bytes, which the caller must not change afterwards
  /// @param offset the offset of the block in the archive, for messages
  /// @throws MalformedImageException if the checksum is wrong
  TarHeader(byte[] block, long offset) throws MalformedImageException {
    this.block = block;
    this.offset = offset;
    if (!TarChecksum.matches(block)) {
      throw malformed("its checksum is wrong");
    }
  }

  byte[] block() {
    return block;
  }

  long offset() {
    return offset;
  }

  char type() {
    return (char) (block[TYPE] & 0xff);
  }

  ByteString name() {
    ByteString name = ByteString.beforeNul(block, 0, NAME_LENGTH);
    if (!is(MAGIC, POSIX_MAGIC)) {
      return name;
    }
    int length = is(STAR_MAGIC, STAR) ? STAR_PREFIX_LENGTH : PREFIX_LENGTH;
    ByteString prefix = ByteString.beforeNul(block, PREFIX, length);
    return prefix.isEmpty() ? name : new ByteString(prefix.latin1() + "/" + name.latin1());
  }

  ByteString linkName() {
    return ByteString.beforeNul(block, LINK_NAME, NAME_LENGTH);
  }

  int mode() throws MalformedImageException {
    return (int) number(MODE, SHORT_NUMBER_LENGTH);
  }

  long user() throws MalformedImageException {
    return number(USER, SHORT_NUMBER_LENGTH);
  }

  long group() throws MalformedImageException {
    return number(GROUP, SHORT_NUMBER_LENGTH);
  }

  /// Returns the size in bytes; may be negative.
  long size() throws MalformedImageException {
    return number(SIZE, NUMBER_LENGTH);
  }

  /// Returns the modification time in seconds since 1970; may be negative.
  long modified() throws MalformedImageException {
    return number(MODIFIED, NUMBER_LENGTH);
  }

  long deviceMajor() throws MalformedImageException {
    return number(DEVICE_MAJOR, SHORT_NUMBER_LENGTH);
  }

  long deviceMinor() throws MalformedImageException {
    return number(DEVICE_MINOR, SHORT_NUMBER_LENGTH);
  }

  /// Returns the length of a GNU sparse file, holes included.
  long sparseLength() throws MalformedImageException {
    return number(SPARSE_LENGTH, NUMBER_LENGTH);
  }

  private boolean is(int start, byte[] magic) {
    return Arrays.equals(block, start, start + magic.length, magic, 0, magic.length);
  }

  private long number(int start, int length) throws MalformedImageException {
    return number(block, start, length, offset);
  }

  /// Reads a number of a header, or of a block of a GNU sparse map.
  static long number(byte[] block, int start, int length, long offset)
      throws MalformedImageException {
    if ((block[start] & 0x80) != 0) {
      byte[] bytes = Arrays.copyOfRange(block, start, start + length);
      // The top bit marks a number in base 256; the next bit is the number's sign.
      bytes[0] = (byte) ((bytes[0] & 0x7f) | (bytes[0] & 0x40) << 1);
      BigInteger value = new BigInteger(bytes);
      if (value.bitLength() >= Long.SIZE) {
        throw malformed(offset, "expected a number of 64 bits");
      }
      return value.longValue();
    }
    int at = start;
    int end = start + length;
    while (at < end && block[at] == ' ') {
      at++;
    }
    long value = 0;
    while (at < end && block[at] >= '0' && block[at] <= '7') {
      // The value cannot overflow: a field has at most twelve digits of three bits each.
      value = value << 3 | (block[at] - '0');
      at++;
    }
    if (at < end && block[at] != 0 && block[at] != ' ') {
      throw malformed(offset, "expected an octal number");
    }
    return value;
  }

  private MalformedImageException malformed(String reason) {
    return malformed(offset, reason);
  }

  private static MalformedImageException malformed(long offset, String reason) {
    return new MalformedImageException("tar header", offset, reason);
  }
}
