package dev.pvcpopulators.ext4.structure;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;
import java.util.Comparator;

/// An extended attribute in its stored form (kernel documentation, ext4, "Extended Attributes",
/// `ext4_xattr_entry`).
///
/// | Offset | Field                                                       |
/// |-------:|-------------------------------------------------------------|
/// |      0 | `e_name_len`, `e_name_index`                                |
/// |      2 | `e_value_offs`                                              |
/// |      4 | `e_value_inum`: 0, no values in separate inodes             |
/// |      8 | `e_value_size`                                              |
/// |     12 | `e_hash`                                                    |
/// |     16 | the name without the prefix of its index; padded to 4       |
///
/// @param name the name without the prefix of its namespace: at most 255 bytes
/// @param value the value as ext4 stores it; an ACL is in the form of ext4
record XattrEntry(XattrNamespace namespace, Bytes name, Bytes value) {
  static final int NAME_INDEX = 1;
  static final int VALUE_OFFSET = 2;
  static final int VALUE_SIZE = 8;
  static final int HASH = 12;
  static final int NAME = 16;

  /// The order of entries that Linux expects in a block (fs/ext4/xattr.c, `xattr_find_entry`).
  static final Comparator<XattrEntry> ORDER =
      Comparator.comparingInt((XattrEntry entry) -> entry.namespace.index())
          .thenComparingInt(entry -> entry.name.length())
          .thenComparing(entry -> entry.name.toArray(), Arrays::compareUnsigned);

  private static final int NAME_HASH_SHIFT = 5;
  private static final int VALUE_HASH_SHIFT = 16;

  /// Returns the size of the entry in bytes, without its value.
  int length() {
    return NAME + padded(name.length());
  }

  /// Returns a length rounded up to a multiple of 4 bytes.
  static int padded(int length) {
    return (length + Integer.BYTES - 1) & -Integer.BYTES;
  }

  /// Returns `e_hash` (fs/ext4/xattr.c, `ext4_xattr_hash_entry`). The bytes of the name are treated
  /// as unsigned.
  int hash() {
    int hash = 0;
    for (int i = 0; i < name.length(); i++) {
      hash = Integer.rotateLeft(hash, NAME_HASH_SHIFT) ^ Byte.toUnsignedInt(name.byteAt(i));
    }
    for (int i = 0; i < value.length(); i += Integer.BYTES) {
      hash = Integer.rotateLeft(hash, VALUE_HASH_SHIFT) ^ word(i);
    }
    return hash;
  }

  /// Returns four bytes of the value as a little-endian word; bytes after the end of the value are
  /// 0.
  private int word(int offset) {
    int word = 0;
    for (int i = offset; i < Math.min(offset + Integer.BYTES, value.length()); i++) {
      word |= Byte.toUnsignedInt(value.byteAt(i)) << ((i - offset) * Byte.SIZE);
    }
    return word;
  }

  /// Returns the name including its namespace.
  String wholeName() {
    return namespace.prefix() + new String(name.toArray(), UTF_8);
  }
}
