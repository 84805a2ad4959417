package dev.pvcpopulators.diskimage.qcow2.format;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import java.io.IOException;
import java.nio.ByteBuffer;

/// The fixed header, big-endian (QEMU docs/interop/qcow2, "Header"): the fields needed for reading.
///
/// | Bytes   | Field                                                       |
/// |--------:|-------------------------------------------------------------|
/// | 0–3     | magic "QFI\xfb"                                             |
/// | 4–7     | version, 2 or 3                                             |
/// | 8–19    | backing file name: offset and length                        |
/// | 20–23   | cluster_bits                                                |
/// | 24–31   | virtual size in bytes                                       |
/// | 32–35   | crypt_method                                                |
/// | 36–39   | L1 table: entries                                           |
/// | 40–47   | L1 table: host offset                                       |
/// | 48–55   | refcount table: host offset                                 |
/// | 56–59   | refcount table: clusters                                    |
/// | 60–71   | snapshots: ignored by the reader                            |
/// | 72–79   | incompatible features; bytes from 72 on: version 3 only     |
/// | 80–95   | compatible and autoclear features: ignored by the reader    |
/// | 96–99   | refcount_order                                              |
/// | 100–103 | header_length                                               |
/// | 104     | compression_type, if header_length is above 104             |
///
/// @param backingOffset bytes from the beginning of the file, unsigned; 0 = there is no backing
///   file
/// @param backingLength bytes of the backing file's name, unsigned
/// @param virtualSize as stored; the guest sees only whole sectors
/// @param l1Entries number of entries of the active L1 table, including those that map VM state
/// @param l1Offset bytes from the beginning of the file
/// @param refcountOffset bytes from the beginning of the file
public record Qcow2Header(
    int version,
    long backingOffset,
    int backingLength,
    int clusterBits,
    long virtualSize,
    int l1Entries,
    long l1Offset,
    long refcountOffset,
    int refcountClusters,
    IncompatibleFeatures features,
    int refcountOrder,
    int headerLength,
    ClusterCompression compression) {

  private static final int BACKING_OFFSET = 8;
  private static final int BACKING_LENGTH = 16;
  private static final int CLUSTER_BITS = 20;
  private static final int SIZE = 24;
  private static final int CRYPT_METHOD = 32;
  private static final int L1_ENTRIES = 36;
  private static final int L1_OFFSET = 40;
  private static final int REFCOUNT_OFFSET = 48;
  private static final int REFCOUNT_CLUSTERS = 56;
  private static final int FEATURES = 72;
  private static final int REFCOUNT_ORDER = 96;
  private static final int HEADER_LENGTH = 100;
  private static final int COMPRESSION = 104;
  private static final int V2_REFCOUNT_ORDER = 4;

  /// Reads the header of an image. Refuses an image that has a backing file.
  ///
  /// @param prefix the first [Qcow2Format#HEADER_LENGTH_KNOWN] bytes of the file, or the whole file
  ///   if it is shorter
  public static Qcow2Header read(ByteBuffer prefix) throws IOException {
    Qcow2Header header = readOverlay(prefix);
    if (header.backingOffset != 0) {
      throw new UnsupportedFeatureException(
          "The image has a backing file, which is never opened; flatten it with `qemu-img convert`"
              + " where the backing file is");
    }
    return header;
  }

  /// Reads the header of an image that may have a backing file.
  ///
  /// @param prefix the first [Qcow2Format#HEADER_LENGTH_KNOWN] bytes of the file, or the whole file
  ///   if it is shorter
  public static Qcow2Header readOverlay(ByteBuffer prefix) throws IOException {
    require(prefix, Integer.BYTES);
    if (prefix.getInt(0) != Qcow2Format.MAGIC) {
      throw malformed(0, "the magic is not \"QFI\\xfb\"");
    }
    require(prefix, Qcow2Format.HEADER_LENGTH_V2);
    int version = prefix.getInt(4);
    if (version == 1) {
      throw new UnsupportedFeatureException(
          "The image is a qcow (version 1), the predecessor of qcow2; convert it with: qemu-img"
              + " convert -f qcow -O qcow2 SOURCE disk.qcow2");
    }
    if (version != 2 && version != 3) {
      throw new UnsupportedFeatureException(
          "qcow2 version is 2 or 3, found " + Integer.toUnsignedString(version));
    }
    refuseEncryption(prefix);
    if (version == 3) {
      require(prefix, Qcow2Format.HEADER_LENGTH_V3);
    }
    int headerLength = version == 3 ? prefix.getInt(HEADER_LENGTH) : Qcow2Format.HEADER_LENGTH_V2;
    IncompatibleFeatures features =
        new IncompatibleFeatures(version == 3 ? prefix.getLong(FEATURES) : 0);
    Qcow2Header header =
        new Qcow2Header(
            version,
            prefix.getLong(BACKING_OFFSET),
            prefix.getInt(BACKING_LENGTH),
            prefix.getInt(CLUSTER_BITS),
            prefix.getLong(SIZE),
            prefix.getInt(L1_ENTRIES),
            prefix.getLong(L1_OFFSET),
            prefix.getLong(REFCOUNT_OFFSET),
            prefix.getInt(REFCOUNT_CLUSTERS),
            features,
            version == 3 ? prefix.getInt(REFCOUNT_ORDER) : V2_REFCOUNT_ORDER,
            headerLength,
            compression(prefix, headerLength));
    header.validate();
    return header;
  }

  /// Validates the fields. The record's constructor does not validate them, because a record's
  /// canonical constructor must not declare checked exceptions.
  private void validate() throws IOException {
    if (clusterBits < Qcow2Format.MIN_CLUSTER_BITS || clusterBits > Qcow2Format.MAX_CLUSTER_BITS) {
      throw malformed(
          CLUSTER_BITS, "cluster_bits is 9–21, found " + Integer.toUnsignedString(clusterBits));
    }
    boolean lengthFits =
        version == 2 || (headerLength >= Qcow2Format.HEADER_LENGTH_V3 && headerLength % 8 == 0);
    if (!lengthFits || headerLength > 1 << clusterBits) {
      throw malformed(
          HEADER_LENGTH,
          "header_length is a multiple of 8 from 104 to the cluster size, found "
              + Integer.toUnsignedString(headerLength));
    }
    if (features.corrupt()) {
      throw malformed(
          FEATURES, "the image is marked corrupt; repair it with `qemu-img check -r all` first");
    }
    if (features.externalDataFile()) {
      throw new UnsupportedFeatureException(
          "The guest's data lies in an external data file, which is never opened; write a"
              + " self-contained image with `qemu-img convert`");
    }
    if (features.compressionType() != (compression != ClusterCompression.ZLIB)) {
      throw malformed(
          COMPRESSION,
          "compression type %s contradicts incompatible feature bit 3, which is %s"
              .formatted(compression, features.compressionType() ? "set" : "clear"));
    }
    if (features.extendedL2() && clusterBits < Qcow2Format.MIN_EXTENDED_CLUSTER_BITS) {
      throw malformed(
          CLUSTER_BITS,
          "extended L2 entries need cluster_bits of at least 14, found " + clusterBits);
    }
    if (Integer.compareUnsigned(refcountOrder, Qcow2Format.MAX_REFCOUNT_ORDER) > 0) {
      throw malformed(
          REFCOUNT_ORDER,
          "refcount_order is at most 6, found " + Integer.toUnsignedString(refcountOrder));
    }
    if (virtualSize < 0) {
      throw malformed(
          SIZE, "the virtual size exceeds 2^63-1: " + Long.toUnsignedString(virtualSize));
    }
    validateL1();
    validateRefcounts();
  }

  /// Returns the number of bytes that the guest sees: the virtual size without an incomplete last
  /// sector, as in QEMU.
  public long guestSize() {
    return virtualSize & -Qcow2Format.SECTOR;
  }

  public int clusterSize() {
    return 1 << clusterBits;
  }

  /// Returns the length of one L2 entry in bytes.
  int l2EntryLength() {
    return features.extendedL2() ? 2 * Long.BYTES : Long.BYTES;
  }

  public int l2Entries() {
    return clusterSize() / l2EntryLength();
  }

  /// Returns the number of guest bytes that one L2 table maps.
  public long l2Coverage() {
    return (long) l2Entries() << clusterBits;
  }

  /// Returns the number of L1 entries that map the disk; later entries map VM state.
  public int l1EntriesOfDisk() {
    return Math.toIntExact(neededL1Entries());
  }

  private long neededL1Entries() {
    return virtualSize / l2Coverage() + (virtualSize % l2Coverage() == 0 ? 0 : 1);
  }

  private void validateL1() throws MalformedImageException {
    if (l1Entries < 0 || l1Entries > Qcow2Format.MAX_L1_LENGTH / Long.BYTES) {
      throw malformed(
          L1_ENTRIES,
          "the L1 table is at most 32 MiB, found "
              + Integer.toUnsignedString(l1Entries)
              + " entries of 8 bytes");
    }
    if (neededL1Entries() > l1Entries) {
      throw malformed(
          L1_ENTRIES,
          "the L1 table is too small for %s bytes: expected at least %s entries, found %s"
              .formatted(virtualSize, neededL1Entries(), l1Entries));
    }
    requireTableOffset("L1 table", L1_OFFSET, l1Offset);
    if (l1Entries > 0 && l1Offset == 0) {
      throw malformed(L1_OFFSET, "the L1 table overlaps the header");
    }
  }

  private void validateRefcounts() throws MalformedImageException {
    if (refcountClusters < 0
        || (long) refcountClusters << clusterBits > Qcow2Format.MAX_REFCOUNT_TABLE_LENGTH) {
      throw malformed(
          REFCOUNT_CLUSTERS,
          "the refcount table is at most 8 MiB, found "
              + Integer.toUnsignedString(refcountClusters)
              + " clusters");
    }
    requireTableOffset("refcount table", REFCOUNT_OFFSET, refcountOffset);
  }

  private void requireTableOffset(String table, int field, long offset)
      throws MalformedImageException {
    boolean reachable = offset >= 0 && offset < Qcow2Format.MAX_HOST_OFFSET;
    if (!reachable || offset % clusterSize() != 0) {
      throw malformed(
          field,
          "the %s begins at a cluster below 1 PiB, found offset %s"
              .formatted(table, Long.toUnsignedString(offset)));
    }
  }

  private static void refuseEncryption(ByteBuffer prefix) throws UnsupportedFeatureException {
    int method = prefix.getInt(CRYPT_METHOD);
    if (method != 0) {
      String name =
          switch (method) {
            case 1 -> "AES";
            case 2 -> "LUKS";
            default -> "unknown method " + Integer.toUnsignedString(method);
          };
      throw new UnsupportedFeatureException(
          "The image is encrypted (" + name + "); decrypt it with `qemu-img convert`");
    }
  }

  private static ClusterCompression compression(ByteBuffer prefix, int headerLength)
      throws IOException {
    // A wrong header_length is refused later, by validate().
    if (headerLength <= COMPRESSION) {
      return ClusterCompression.ZLIB;
    }
    require(prefix, COMPRESSION + 1);
    int type = Byte.toUnsignedInt(prefix.get(COMPRESSION));
    return switch (type) {
      case 0 -> ClusterCompression.ZLIB;
      case 1 -> ClusterCompression.ZSTD;
      default ->
          throw new UnsupportedFeatureException(
              "qcow2 compression type is 0 (zlib) or 1 (zstd), found " + type);
    };
  }

  private static void require(ByteBuffer prefix, int length) throws MalformedImageException {
    if (prefix.limit() < length) {
      throw malformed(
          prefix.limit(), "the source ends there; the header has at least " + length + " bytes");
    }
  }

  private static MalformedImageException malformed(long offset, String reason) {
    return new MalformedImageException("qcow2 header", offset, reason);
  }
}
