package dev.pvcpopulators.diskimage.foreign;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Set;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/// Reads the virtual size of a VHDX from its headers, little-endian ([MS-VHDX], sections 2.2 and
/// 2.6).
///
/// | Offset               | Structure                                                     |
/// |----------------------|---------------------------------------------------------------|
/// | 0                    | file identifier `vhdxfile`                                    |
/// | 64 KiB, 128 KiB      | two headers of 4 KiB; of the valid ones, the one with the     |
/// |                      | larger sequence number is active                              |
/// | 192 KiB, 256 KiB     | two equal region tables of 64 KiB, with the offset of the     |
/// |                      | metadata region                                               |
/// | the metadata region  | a table of 64 KiB and items: file parameters, virtual size    |
final class VhdxHeaders {
  private static final int HEADER_LENGTH = 4 << 10;
  private static final int TABLE_LENGTH = 64 << 10;
  private static final long[] HEADERS = {64 << 10, 128 << 10};
  private static final long[] REGION_TABLES = {192 << 10, 256 << 10};
  private static final int CHECKSUM_OFFSET = 4;
  private static final int ENTRY_LENGTH = 32;
  private static final int MOST_ENTRIES = 2047;
  private static final int HAS_PARENT = 1 << 1;
  private static final int REQUIRED = 1 << 2;
  private static final long LARGEST = 64L << 40;

  private static final UUID METADATA = UUID.fromString("8b7ca206-4790-4b9a-b8fe-575f050f886e");
  private static final UUID FILE_PARAMETERS =
      UUID.fromString("caa16737-fa36-4d43-b3b6-33f0aa44e76b");
  private static final UUID VIRTUAL_SIZE = UUID.fromString("2fa54224-cd1b-4876-b211-5dbed83bf4b8");
  private static final UUID PARENT_LOCATOR =
      UUID.fromString("a8d35f2d-b30b-454d-abf7-d3d84834ab0c");

  /// The required metadata items that this class ignores, because they do not refer to other files
  /// ([MS-VHDX], 2.6.2): page 83 data, logical sector size, physical sector size.
  private static final Set<UUID> HARMLESS =
      Set.of(
          UUID.fromString("beca12ab-b2e6-4523-93ef-c309e000c746"),
          UUID.fromString("8141bf1d-a96f-4709-ba47-f233a8faab5f"),
          UUID.fromString("cda348c7-445d-4471-9cc9-e9885251c556"));

  private VhdxHeaders() {}

  static long virtualSize(SpooledImage image) throws IOException {
    ByteBuffer identifier = image.read("VHDX file identifier", 0, 8, ByteOrder.LITTLE_ENDIAN);
    if (!ISO_8859_1.decode(identifier).toString().equals("vhdxfile")) {
      throw new MalformedImageException("VHDX file identifier", 0, "vhdxfile is missing");
    }
    checkHeader(activeHeader(image));
    return readMetadata(image, metadataOffset(image));
  }

  private static ByteBuffer activeHeader(SpooledImage image) throws IOException {
    ByteBuffer active = null;
    for (long offset : HEADERS) {
      ByteBuffer header = valid(image, "VHDX header", "head", offset, HEADER_LENGTH);
      if (header != null
          && (active == null || Long.compareUnsigned(header.getLong(8), active.getLong(8)) > 0)) {
        active = header;
      }
    }
    if (active == null) {
      throw new MalformedImageException(
          "VHDX header", HEADERS[0], "neither of the two has the right checksum");
    }
    return active;
  }

  private static void checkHeader(ByteBuffer header) throws UnsupportedFeatureException {
    int version = Short.toUnsignedInt(header.getShort(66));
    if (version != 1) {
      throw new UnsupportedFeatureException("VHDX version " + version + "; only 1 is read");
    }
    if (header.getLong(48) != 0 || header.getLong(56) != 0) {
      throw new UnsupportedFeatureException(
          "VHDX: it was not closed cleanly and its log has to be replayed first; attach it once"
              + " where it came from, or run: qemu-img check -r all SOURCE");
    }
  }

  private static long metadataOffset(SpooledImage image) throws IOException {
    ByteBuffer table = null;
    for (int i = 0; i < REGION_TABLES.length && table == null; i++) {
      table = valid(image, "VHDX region table", "regi", REGION_TABLES[i], TABLE_LENGTH);
    }
    if (table == null) {
      throw new MalformedImageException(
          "VHDX region table", REGION_TABLES[0], "neither of the two has the right checksum");
    }
    long offset = -1;
    int count = entryCount("VHDX region table", table.getInt(8));
    for (int i = 0; i < count; i++) {
      int entry = 16 + i * ENTRY_LENGTH;
      if (guid(table, entry).equals(METADATA)) {
        offset = table.getLong(entry + 16);
      }
    }
    if (offset < 0) {
      throw new MalformedImageException("VHDX region table", -1, "it names no metadata region");
    }
    return offset;
  }

  private static long readMetadata(SpooledImage image, long region) throws IOException {
    String structure = "VHDX metadata table";
    ByteBuffer table = image.read(structure, region, TABLE_LENGTH, ByteOrder.LITTLE_ENDIAN);
    if (!ISO_8859_1.decode(table.slice(0, 8)).toString().equals("metadata")) {
      throw new MalformedImageException(structure, region, "its signature is missing");
    }
    long virtualSize = -1;
    boolean parameters = false;
    int count = entryCount(structure, Short.toUnsignedInt(table.getShort(10)));
    for (int i = 0; i < count; i++) {
      int entry = 32 + i * ENTRY_LENGTH;
      UUID item = guid(table, entry);
      long offset = Math.addExact(region, Integer.toUnsignedLong(table.getInt(entry + 16)));
      if (item.equals(PARENT_LOCATOR)) {
        throw SpooledImage.needsOtherFile("VHDX", "it has a parent locator");
      } else if (item.equals(FILE_PARAMETERS)) {
        checkParameters(image.read("VHDX file parameters", offset, 8, ByteOrder.LITTLE_ENDIAN));
        parameters = true;
      } else if (item.equals(VIRTUAL_SIZE)) {
        virtualSize =
            image.read("VHDX virtual disk size", offset, 8, ByteOrder.LITTLE_ENDIAN).getLong();
        if (virtualSize < 0 || virtualSize > LARGEST) {
          throw new MalformedImageException(
              "VHDX virtual disk size", offset, Long.toUnsignedString(virtualSize) + " bytes");
        }
      } else if ((table.getInt(entry + 24) & REQUIRED) != 0 && !HARMLESS.contains(item)) {
        throw new UnsupportedFeatureException("VHDX: unknown required metadata item " + item);
      }
    }
    if (virtualSize < 0 || !parameters) {
      throw new MalformedImageException(
          structure, region, "the file parameters or the virtual disk size are missing");
    }
    return virtualSize;
  }

  private static void checkParameters(ByteBuffer parameters) throws UnsupportedFeatureException {
    if ((parameters.getInt(4) & HAS_PARENT) != 0) {
      throw SpooledImage.needsOtherFile("VHDX", "it is a differencing disk, which has a parent");
    }
  }

  private static int entryCount(String structure, int count) throws MalformedImageException {
    if (count < 0 || count > MOST_ENTRIES) {
      throw new MalformedImageException(
          structure, -1, Integer.toUnsignedString(count) + " entries, at most " + MOST_ENTRIES);
    }
    return count;
  }

  /// Returns the structure if its signature and CRC-32C are right, otherwise null.
  private static @Nullable ByteBuffer valid(
      SpooledImage image, String structure, String signature, long offset, int length)
      throws IOException {
    ByteBuffer bytes = image.read(structure, offset, length, ByteOrder.LITTLE_ENDIAN);
    int recorded = bytes.getInt(CHECKSUM_OFFSET);
    bytes.putInt(CHECKSUM_OFFSET, 0);
    CRC32C crc = new CRC32C();
    crc.update(bytes.duplicate());
    boolean signed = ISO_8859_1.decode(bytes.slice(0, 4)).toString().equals(signature);
    return signed && (int) crc.getValue() == recorded ? bytes : null;
  }

  /// Reads a GUID in Microsoft's layout: three little-endian fields, then eight bytes in order.
  private static UUID guid(ByteBuffer bytes, int offset) {
    long high =
        Integer.toUnsignedLong(bytes.getInt(offset)) << 32
            | Short.toUnsignedLong(bytes.getShort(offset + 4)) << 16
            | Short.toUnsignedLong(bytes.getShort(offset + 6));
    return new UUID(high, Long.reverseBytes(bytes.getLong(offset + 8)));
  }
}
