package dev.pvcpopulators.diskimage.foreign;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Set;

/// Footer of a VHD, big-endian; dynamic and differencing disks have a copy of it at the beginning
/// (Microsoft "Virtual Hard Disk Image Format Specification", "Hard Disk Footer Format").
///
/// | Offset | Size | Field                                               |
/// |-------:|-----:|-----------------------------------------------------|
/// |      0 |    8 | cookie `conectix`                                   |
/// |     16 |    8 | offset of the dynamic header                        |
/// |     28 |    4 | creator application                                 |
/// |     48 |    8 | current size in bytes                               |
/// |     56 |    4 | geometry: cylinders (2), heads, sectors per cylinder |
/// |     60 |    4 | type: 2 fixed, 3 dynamic, 4 differencing            |
/// |     64 |    4 | checksum: complement of the sum of all other bytes  |
record VhdFooter(
    long headerOffset, String creator, long currentSize, long geometrySectors, int type) {
  static final int LENGTH = 512;
  static final int FIXED = 2;

  private static final String STRUCTURE = "VHD footer";
  private static final String COOKIE = "conectix";
  private static final int CHECKSUM_OFFSET = 64;
  private static final int DYNAMIC = 3;
  private static final int DIFFERENCING = 4;
  private static final int SECTOR = 512;

  private static final String HEADER = "VHD dynamic header";
  private static final int HEADER_LENGTH = 1024;
  private static final int HEADER_CHECKSUM_OFFSET = 36;

  /// The number of sectors of the largest geometry that the VHD specification permits. A disk with
  /// this geometry is probably larger than the geometry says.
  private static final long LARGEST_GEOMETRY = 65_535L * 16 * 255;

  /// Creator applications whose disks have the size that the field "current size" gives. A disk of
  /// another application has the size that its geometry gives, as in Virtual PC. But if the
  /// geometry is [#LARGEST_GEOMETRY], "current size" gives the size. QEMU has the same list.
  private static final Set<String> SIZED_BY_CURRENT_SIZE =
      Set.of("win ", "qem2", "d2v ", "tap\0", "CTXS", "wa\0\0");

  static VhdFooter read(ByteBuffer bytes, long offset) throws IOException {
    if (!text(bytes, 0, 8).equals(COOKIE)) {
      throw new MalformedImageException(STRUCTURE, offset, "the cookie conectix is missing");
    }
    checkSum(STRUCTURE, offset, bytes, LENGTH, CHECKSUM_OFFSET);
    long geometry =
        (long) Short.toUnsignedInt(bytes.getShort(56))
            * Byte.toUnsignedInt(bytes.get(58))
            * Byte.toUnsignedInt(bytes.get(59));
    long currentSize = bytes.getLong(48);
    if (currentSize < 0) {
      throw new MalformedImageException(STRUCTURE, offset + 48, "the current size is negative");
    }
    return new VhdFooter(
        bytes.getLong(16), text(bytes, 28, 4), currentSize, geometry, bytes.getInt(60));
  }

  static long virtualSize(SpooledImage image) throws IOException {
    ByteBuffer first = image.read(STRUCTURE, 0, LENGTH, ByteOrder.BIG_ENDIAN);
    if (text(first, 0, 8).equals(COOKIE)) {
      return read(first, 0).dynamicSize(image);
    }
    long offset = image.length() - LENGTH;
    VhdFooter footer = read(image.read(STRUCTURE, offset, LENGTH, ByteOrder.BIG_ENDIAN), offset);
    if (footer.type != FIXED) {
      throw footer.refusal();
    }
    if (footer.size() > offset) {
      throw new MalformedImageException(
          STRUCTURE,
          offset + 48,
          "a disk of " + footer.size() + " bytes in a file of " + image.length());
    }
    return footer.size();
  }

  private long dynamicSize(SpooledImage image) throws IOException {
    if (type != DYNAMIC) {
      throw refusal();
    }
    ByteBuffer header = image.read(HEADER, headerOffset, HEADER_LENGTH, ByteOrder.BIG_ENDIAN);
    if (!text(header, 0, 8).equals("cxsparse")) {
      throw new MalformedImageException(HEADER, headerOffset, "the cookie cxsparse is missing");
    }
    checkSum(HEADER, headerOffset, header, HEADER_LENGTH, HEADER_CHECKSUM_OFFSET);
    long entries = Integer.toUnsignedLong(header.getInt(28));
    long blockSize = Integer.toUnsignedLong(header.getInt(32));
    if (Long.bitCount(blockSize) != 1 || blockSize < SECTOR) {
      throw new MalformedImageException(HEADER, headerOffset + 32, "a block of " + blockSize);
    }
    if (entries > Long.MAX_VALUE / blockSize || entries * blockSize < size()) {
      throw new MalformedImageException(
          HEADER,
          headerOffset + 28,
          "a disk of " + size() + " bytes in " + entries + " blocks of " + blockSize);
    }
    return size();
  }

  /// Returns the number of bytes that the guest sees.
  long size() {
    return SIZED_BY_CURRENT_SIZE.contains(creator) || geometrySectors == LARGEST_GEOMETRY
        ? currentSize / SECTOR * SECTOR
        : geometrySectors * SECTOR;
  }

  private IOException refusal() {
    return type == DIFFERENCING
        ? SpooledImage.needsOtherFile("VHD", "it is a differencing disk, which has a parent")
        : new UnsupportedFeatureException("VHD of type " + type + "; fixed and dynamic are read");
  }

  private static void checkSum(
      String structure, long offset, ByteBuffer bytes, int length, int checksumOffset)
      throws MalformedImageException {
    int sum = 0;
    for (int i = 0; i < length; i++) {
      boolean own = i >= checksumOffset && i < checksumOffset + Integer.BYTES;
      sum += own ? 0 : Byte.toUnsignedInt(bytes.get(i));
    }
    if (bytes.getInt(checksumOffset) != ~sum) {
      throw new MalformedImageException(
          structure,
          offset,
          "checksum: expected "
              + Integer.toHexString(bytes.getInt(checksumOffset))
              + ", found "
              + Integer.toHexString(~sum));
    }
  }

  private static String text(ByteBuffer bytes, int offset, int length) {
    byte[] text = new byte[length];
    bytes.get(offset, text);
    return new String(text, ISO_8859_1);
  }
}
