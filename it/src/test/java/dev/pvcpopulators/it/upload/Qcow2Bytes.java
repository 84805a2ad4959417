package dev.pvcpopulators.it.upload;

import java.nio.ByteBuffer;

/// The bytes of a qcow2 image, with methods that make damaged copies.
///
/// The big-endian fields of the header (QEMU docs/interop/qcow2, "Header"):
///
/// | Byte | Field                  | Byte | Field                   |
/// |-----:|------------------------|-----:|-------------------------|
/// |    8 | backing_file_offset    |   48 | refcount_table_offset   |
/// |   16 | backing_file_size      |   56 | refcount_table_clusters |
/// |   20 | cluster_bits           |   60 | nb_snapshots            |
/// |   24 | size                   |   72 | incompatible_features   |
/// |   32 | crypt_method           |   96 | refcount_order          |
/// |   36 | l1_size                |  100 | header_length           |
/// |   40 | l1_table_offset        |  104 | compression_type        |
final class Qcow2Bytes {
  static final int CLUSTER_BITS = 20;
  static final int SIZE = 24;
  static final int CRYPT_METHOD = 32;
  static final int L1_SIZE = 36;
  static final int L1_TABLE_OFFSET = 40;
  static final int INCOMPATIBLE_FEATURES = 72;
  static final int HEADER_LENGTH = 100;
  static final int COMPRESSION_TYPE = 104;

  private static final long OFFSET_MASK = 0x00ff_ffff_ffff_fe00L;

  private final byte[] bytes;

  Qcow2Bytes(byte[] bytes) {
    this.bytes = bytes.clone();
  }

  byte[] bytes() {
    return bytes.clone();
  }

  /// Returns a copy with another value in a field of 32 bits.
  Qcow2Bytes with(int offset, int value) {
    byte[] copy = bytes.clone();
    ByteBuffer.wrap(copy).putInt(offset, value);
    return new Qcow2Bytes(copy);
  }

  /// Returns a copy with another value in a field of 64 bits.
  Qcow2Bytes withLong(long offset, long value) {
    byte[] copy = bytes.clone();
    ByteBuffer.wrap(copy).putLong(Math.toIntExact(offset), value);
    return new Qcow2Bytes(copy);
  }

  /// Returns a copy with one flipped bit. Bit 0 is the highest bit of byte 0.
  byte[] flipped(int bit) {
    byte[] copy = bytes.clone();
    copy[bit / 8] ^= (byte) (0x80 >>> (bit % 8));
    return copy;
  }

  long longAt(long offset) {
    return ByteBuffer.wrap(bytes).getLong(Math.toIntExact(offset));
  }

  int intAt(int offset) {
    return ByteBuffer.wrap(bytes).getInt(offset);
  }

  long l1Table() {
    return longAt(L1_TABLE_OFFSET);
  }

  /// Returns the offset of the first L1 entry that names an L2 table. Fails the test if no L1 entry
  /// names an L2 table.
  long firstL1Entry() {
    return firstUsed(l1Table(), intAt(L1_SIZE));
  }

  /// Returns the offset of the L2 table that an L1 entry names.
  ///
  /// @param l1Entry the offset of the entry
  long l2Table(long l1Entry) {
    return longAt(l1Entry) & OFFSET_MASK;
  }

  /// Returns the offset of the first L2 entry that names a cluster. Fails the test if no L2 entry
  /// names a cluster.
  ///
  /// @param l2Table the offset of the L2 table
  long firstL2Entry(long l2Table) {
    return firstUsed(l2Table, 1 << (intAt(CLUSTER_BITS) - 3));
  }

  private long firstUsed(long table, int entries) {
    for (int i = 0; i < entries; i++) {
      long entry = table + 8L * i;
      if ((longAt(entry) & OFFSET_MASK) != 0) {
        return entry;
      }
    }
    throw new AssertionError("No entry is used in the table at byte " + table);
  }
}
