package dev.pvcpopulators.ext4.structure;

import java.nio.ByteBuffer;

/// Writes the extended attributes of an inode or a block: entries from the front, values from the
/// end, and at least 4 zero bytes between them (kernel documentation, ext4, "Extended Attributes").
///
/// | Offset | Header of a block, `ext4_xattr_header` | Header in an inode |
/// |-------:|----------------------------------------|--------------------|
/// |      0 | `h_magic`, 0xea020000                  | `h_magic`          |
/// |      4 | `h_refcount`, 1                        | the first entry    |
/// |      8 | `h_blocks`, 1                          |                    |
/// |     12 | `h_hash`                               |                    |
/// |     32 | the first entry                        |                    |
final class XattrRegion {
  /// The offset of the first entry in an inode's region; offsets of values are relative to this
  /// first entry.
  private static final int INODE_FIRST = 4;

  /// The offset of the first entry in a block; offsets of values are relative to the beginning of
  /// the block.
  private static final int BLOCK_FIRST = 32;

  private static final int REFERENCE_COUNT = 4;
  private static final int BLOCKS = 8;
  private static final int BLOCK_HASH = 12;
  private static final int BLOCK_HASH_SHIFT = 16;

  /// The minimum number of zero bytes after the last entry.
  private static final int END = 4;

  private final ByteBuffer bytes;
  private final int first;
  private final boolean inode;
  private int next;
  private int values;
  private int hash;
  private boolean unhashed;

  private XattrRegion(int length, int first, boolean inode) {
    bytes = ByteBuffer.allocate(length);
    this.first = first;
    this.inode = inode;
    next = first;
    values = length;
    LittleEndian.put32(bytes, 0, Ext4Format.XATTR_MAGIC);
  }

  static XattrRegion inode() {
    return new XattrRegion(Inode.INLINE_XATTRS, INODE_FIRST, true);
  }

  static XattrRegion block() {
    XattrRegion region = new XattrRegion(Ext4Format.BLOCK_SIZE, BLOCK_FIRST, false);
    LittleEndian.put32(region.bytes, REFERENCE_COUNT, 1);
    LittleEndian.put32(region.bytes, BLOCKS, 1);
    return region;
  }

  boolean empty() {
    return next == first;
  }

  /// Adds an entry after the last entry.
  ///
  /// @return whether there was enough space; if not, the region is unchanged
  boolean add(XattrEntry entry) {
    int valueLength = entry.value().length();
    int value = values - XattrEntry.padded(valueLength);
    if (next + entry.length() + END > value) {
      return false;
    }
    bytes.put(next, (byte) entry.name().length());
    bytes.put(next + XattrEntry.NAME_INDEX, (byte) entry.namespace().index());
    if (valueLength > 0) {
      LittleEndian.put16(bytes, next + XattrEntry.VALUE_OFFSET, inode ? value - first : value);
    }
    LittleEndian.put32(bytes, next + XattrEntry.VALUE_SIZE, valueLength);
    entry.name().write(bytes.position(next + XattrEntry.NAME));
    entry.value().write(bytes.position(value));
    if (!inode) {
      takeHash(entry.hash());
    }
    next += entry.length();
    values = value;
    return true;
  }

  /// Stores an entry's hash, and combines it into the block's hash. A block hash of 0 means that
  /// the block must not be shared (fs/ext4/xattr.c, `ext4_xattr_rehash`).
  private void takeHash(int entryHash) {
    LittleEndian.put32(bytes, next + XattrEntry.HASH, entryHash);
    unhashed |= entryHash == 0;
    hash = unhashed ? 0 : Integer.rotateLeft(hash, BLOCK_HASH_SHIFT) ^ entryHash;
    LittleEndian.put32(bytes, BLOCK_HASH, hash);
  }

  /// Returns the current content of the region.
  ///
  /// @return a buffer with the whole region, at position 0; not a copy
  ByteBuffer bytes() {
    return bytes.clear();
  }
}
