package dev.pvcpopulators.diskimage.foreign;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/// Header of a hosted sparse extent, little-endian (VMware "Virtual Disk Format 5.0", "Hosted
/// Sparse Extents").
///
/// | Offset | Size | Field                                                            |
/// |-------:|-----:|------------------------------------------------------------------|
/// |      0 |    4 | magic number `KDMV`                                              |
/// |      4 |    4 | version: 1, 2 or 3                                               |
/// |      8 |    4 | flags                                                            |
/// |     12 |    8 | capacity in sectors                                              |
/// |     20 |    8 | grain size in sectors                                            |
/// |     28 |    8 | descriptor offset in sectors                                     |
/// |     36 |    8 | descriptor size in sectors                                       |
/// |     56 |    8 | grain directory offset in sectors; all ones = see the footer     |
///
/// The footer is a copy of the header, but with the actual grain directory offset. The footer
/// begins 1024 bytes before the end of the file.
record VmdkHeader(int version, long capacity, long descriptorOffset, long directoryOffset) {
  private static final String STRUCTURE = "VMDK header";
  private static final int LENGTH = 512;
  private static final int SECTOR = 512;
  private static final long AT_END = -1;
  private static final long FOOTER_FROM_END = 1024;
  private static final long MOST_SECTORS = Long.MAX_VALUE / SECTOR;

  /// Sector of the embedded descriptor. QEMU reads the descriptor from this sector even if the
  /// header gives another sector.
  private static final long DESCRIPTOR_SECTOR = 1;

  /// Number of bytes that QEMU reads from [#DESCRIPTOR_SECTOR] on, even if the header gives another
  /// length.
  private static final int DESCRIPTOR_LENGTH = 20 * SECTOR;

  static VmdkHeader read(SpooledImage image, long offset) throws IOException {
    byte[] magic = image.read(STRUCTURE, offset, 4, ByteOrder.LITTLE_ENDIAN).array();
    String found = new String(magic, ISO_8859_1);
    if (!found.equals("KDMV")) {
      if (offset == 0 && (found.equals("COWD") || found.startsWith("# Di"))) {
        throw SpooledImage.needsOtherFile("VMDK", "not a sparse extent with its descriptor inside");
      }
      throw new MalformedImageException(STRUCTURE, offset, "the magic number KDMV is missing");
    }
    ByteBuffer bytes = image.read(STRUCTURE, offset, LENGTH, ByteOrder.LITTLE_ENDIAN);
    return new VmdkHeader(bytes.getInt(4), bytes.getLong(12), bytes.getLong(28), bytes.getLong(56));
  }

  static long virtualSize(SpooledImage image) throws IOException {
    VmdkHeader header = read(image, 0);
    if (header.version < 1 || header.version > 3) {
      throw new UnsupportedFeatureException("VMDK version " + header.version);
    }
    // If the capacity is 0, QEMU does not read the disk from this file, but opens the extents that
    // the descriptor names.
    if (header.capacity <= 0 || header.capacity > MOST_SECTORS) {
      throw new MalformedImageException(STRUCTURE, 12, "capacity of " + header.capacity);
    }
    if (header.descriptorOffset != DESCRIPTOR_SECTOR) {
      throw SpooledImage.needsOtherFile(
          "VMDK", "its descriptor is not in the file after the header");
    }
    if (header.directoryOffset == AT_END) {
      long offset = image.length() - FOOTER_FROM_END;
      VmdkHeader footer = read(image, offset);
      if (footer.capacity != header.capacity
          || footer.version != header.version
          || footer.descriptorOffset != header.descriptorOffset
          || footer.directoryOffset == AT_END) {
        throw new MalformedImageException("VMDK footer", offset, "it contradicts the header");
      }
    }
    int length = (int) Math.min(DESCRIPTOR_LENGTH, image.length() - LENGTH);
    byte[] descriptor =
        image.read("VMDK descriptor", LENGTH, length, ByteOrder.LITTLE_ENDIAN).array();
    VmdkDescriptor.check(new String(descriptor, US_ASCII));
    return header.capacity * SECTOR;
  }
}
