package dev.pvcpopulators.ext4.structure;

import java.nio.ByteBuffer;
import java.util.List;

/// Reads extended attributes from an inode or a block, with the checks of Linux (fs/ext4/xattr.c,
/// `check_xattrs`).
///
/// @param first the start of the entries
/// @param base the origin of the values' offsets
/// @param number the number of the block, for messages; 0 for an inode
record XattrRegionReader(ByteBuffer bytes, int first, int base, long number) {
  static XattrRegionReader inode(Bytes inline) {
    return new XattrRegionReader(
        inline.buffer(), XattrRegion.INODE_FIRST, XattrRegion.INODE_FIRST, 0);
  }

  static XattrRegionReader block(ByteBuffer block, long number) {
    ByteBuffer bytes = block.slice(0, Ext4Format.BLOCK_SIZE);
    return new XattrRegionReader(bytes, XattrRegion.BLOCK_FIRST, 0, number);
  }

  /// Adds the attributes to a list.
  void read(List<XattrEntry> target) throws DamagedFileSystemException {
    if (bytes.limit() < first + Integer.BYTES
        || LittleEndian.i32(bytes, 0) != Ext4Format.XATTR_MAGIC) {
      throw damaged("no magic number");
    }
    int at = first;
    while (at + Integer.BYTES <= bytes.limit() && LittleEndian.i32(bytes, at) != 0) {
      if (at + XattrEntry.NAME > bytes.limit()) {
        throw damaged("the entry at " + at + " points outside it");
      }
      int nameLength = LittleEndian.u8(bytes, at);
      int next = at + XattrEntry.length(nameLength);
      if (next + Integer.BYTES > bytes.limit()) {
        throw damaged("the entry at " + at + " points outside it");
      }
      target.add(entry(at, nameLength));
      at = next;
    }
  }

  private XattrEntry entry(int at, int nameLength) throws DamagedFileSystemException {
    int index = LittleEndian.u8(bytes, at + XattrEntry.NAME_INDEX);
    XattrNamespace namespace =
        XattrNamespace.ofIndex(index).orElseThrow(() -> damaged("unknown name index " + index));
    Bytes name = take(at + XattrEntry.NAME, nameLength);
    for (int i = 0; i < nameLength; i++) {
      if (name.byteAt(i) == 0) {
        throw damaged("a name has a NUL");
      }
    }
    if (namespace.acl() != (nameLength == 0)) {
      throw damaged("a name of " + nameLength + " bytes with index " + index);
    }
    if (LittleEndian.i32(bytes, at + XattrEntry.VALUE_INODE) != 0) {
      throw damaged("a value is in a separate inode");
    }
    long size = LittleEndian.u32(bytes, at + XattrEntry.VALUE_SIZE);
    int offset = LittleEndian.u16(bytes, at + XattrEntry.VALUE_OFFSET);
    if (size > bytes.limit() || base + offset + size > bytes.limit()) {
      throw damaged("a value of " + size + " bytes at " + offset + " points outside it");
    }
    return new XattrEntry(namespace, name, take(base + offset, (int) size));
  }

  private Bytes take(int offset, int length) {
    return length == 0 ? Bytes.NONE : Bytes.read(bytes.slice(offset, length), length);
  }

  DamagedFileSystemException damaged(String reason) {
    return number == 0
        ? new DamagedFileSystemException("extended attributes of an inode", reason)
        : new DamagedFileSystemException("extended attributes", number, reason);
  }
}
