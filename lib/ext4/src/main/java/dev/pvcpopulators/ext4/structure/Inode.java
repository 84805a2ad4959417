package dev.pvcpopulators.ext4.structure;

import java.nio.ByteBuffer;

/// One inode of 256 bytes with 32 extra bytes, little-endian (kernel documentation, ext4, "Index
/// Nodes"). No checksum: the file systems here have `uninit_bg`, not `metadata_csum`.
///
/// @param mode file type and permissions, 16 bits
/// @param uid unsigned 32 bits
/// @param gid unsigned 32 bits
/// @param size bytes
/// @param links names of it; 1 of a directory with more than 64,998 directories in it
/// @param sectors of 512 bytes that belong to it: data, extent nodes, the block of its extended
///   attributes
/// @param flags `i_flags`
/// @param block the 60 bytes of `i_block`: an extent tree's root, a short symbolic link's target, a
///   device's number
/// @param xattrBlock block of extended attributes; 0 for none
/// @param inlineXattrs what follows the 32 extra bytes: at most [#INLINE_XATTRS] bytes
@SuppressWarnings("DoNotCallSuggester")
public record Inode(
    int mode,
    long uid,
    long gid,
    long size,
    Timestamp accessed,
    Timestamp changed,
    Timestamp modified,
    Timestamp created,
    int links,
    long sectors,
    int flags,
    Bytes block,
    long xattrBlock,
    Bytes inlineXattrs) {
  /// Bytes of an inode.
  public static final int SIZE = 256;

  /// Bytes behind the extra ones.
  public static final int INLINE_XATTRS = 96;

  /// Reads 256 bytes at the buffer's position.
  public static Inode read(ByteBuffer source) {
    throw new UnsupportedOperationException("skeleton");
  }

  /// Writes 256 bytes at the buffer's position: all of them.
  public void write(ByteBuffer target) {
    throw new UnsupportedOperationException("skeleton");
  }
}
