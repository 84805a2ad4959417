package dev.pvcpopulators.diskimage.foreign;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/// Header of a VirtualBox disk image, little-endian (VirtualBox `VDICore.h`, version 1.1).
///
/// | Offset | Size | Field                                           |
/// |-------:|-----:|-------------------------------------------------|
/// |   0x40 |    4 | signature 0xbeda107f                            |
/// |   0x44 |    4 | version, 0x00010001                             |
/// |   0x4c |    4 | type: 1 dynamic, 2 fixed, 3 undo, 4 differencing |
/// |  0x170 |    8 | disk size in bytes                              |
/// |  0x178 |    4 | block size in bytes                             |
/// |  0x180 |    4 | number of blocks of the disk                    |
/// |  0x1a8 |   16 | link: UUID of the parent; zero without a parent |
/// |  0x1b8 |   16 | UUID of the parent's last modification, or zero |
final class VdiHeader {
  private static final String STRUCTURE = "VDI header";
  private static final int LENGTH = 512;
  private static final int SIGNATURE = 0xbeda107f;
  private static final int VERSION = 0x00010001;
  private static final int DYNAMIC = 1;
  private static final int FIXED = 2;
  private static final int SECTOR = 512;

  private VdiHeader() {}

  static long virtualSize(SpooledImage image) throws IOException {
    ByteBuffer header = image.read(STRUCTURE, 0, LENGTH, ByteOrder.LITTLE_ENDIAN);
    if (header.getInt(0x40) != SIGNATURE) {
      throw new MalformedImageException(STRUCTURE, 0x40, "the signature is missing");
    }
    if (header.getInt(0x44) != VERSION) {
      throw new UnsupportedFeatureException(
          "VDI version " + Integer.toHexString(header.getInt(0x44)) + "; only 1.1 is read");
    }
    int type = header.getInt(0x4c);
    if (type != DYNAMIC && type != FIXED) {
      throw SpooledImage.needsOtherFile("VDI", "it is of type " + type + ", not dynamic or fixed");
    }
    if (!zero(header, 0x1a8) || !zero(header, 0x1b8)) {
      throw SpooledImage.needsOtherFile("VDI", "it has a parent");
    }
    long size = header.getLong(0x170);
    long blockSize = Integer.toUnsignedLong(header.getInt(0x178));
    long blocks = Integer.toUnsignedLong(header.getInt(0x180));
    if (size < 0 || size > Long.MAX_VALUE - SECTOR || size > blocks * blockSize) {
      throw new MalformedImageException(
          STRUCTURE,
          0x170,
          "a disk of " + Long.toUnsignedString(size) + " bytes in " + blocks + " blocks");
    }
    return (size + SECTOR - 1) / SECTOR * SECTOR;
  }

  private static boolean zero(ByteBuffer header, int uuid) {
    return header.getLong(uuid) == 0 && header.getLong(uuid + 8) == 0;
  }
}
