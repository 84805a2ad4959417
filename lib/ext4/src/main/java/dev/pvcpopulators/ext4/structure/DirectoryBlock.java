package dev.pvcpopulators.ext4.structure;

import java.nio.ByteBuffer;

/// One block of a linear directory, changed in place (kernel documentation, ext4, "Linear (Classic)
/// Directories"). As in Linux, entries never move. A new entry is stored in an unused entry, or in
/// free space after an existing entry. The space of a removed entry is added to the previous entry.
/// If there is no previous entry, the removed entry becomes unused, and keeps its length. All other
/// bytes of a removed entry become zeros.
///
/// | Offset | Field of `ext4_dir_entry_2`                          |
/// |-------:|------------------------------------------------------|
/// |      0 | `inode`; 0 if the entry is unused                    |
/// |      4 | `rec_len`: length up to the next entry or block end  |
/// |      6 | `name_len`                                           |
/// |      7 | `file_type`                                          |
/// |      8 | the name, without a terminator                       |
///
/// The block is the first 4,096 bytes of the buffer, regardless of the buffer's position. The limit
/// of the buffer must be at least 4,096. Position and limit do not change. The offsets of entries
/// and of their names are counted in bytes from the beginning of the block, and are multiples of 4.
public final class DirectoryBlock {
  private static final int SIZE = Ext4Format.BLOCK_SIZE;

  private static final int REC_LEN = 4;
  private static final int NAME_LEN = 6;
  private static final int FILE_TYPE = 7;
  private static final int NAME = 8;

  /// The size of the shortest entry in bytes.
  private static final int MIN_LENGTH = 12;

  private static final int NO_ROOM = -1;

  private DirectoryBlock() {}

  /// Receives the entries of a block.
  @FunctionalInterface
  public interface Visitor {
    /// Receives one entry.
    ///
    /// @param offset the offset of the entry
    /// @param inode the number of the inode, above 0
    /// @param entryType the stored `file_type`, 0–255; if it is valid, a value of
    ///   [FileType#entryType]
    /// @param nameOffset the offset of the entry's name in the block
    /// @param nameLength the length of the name in bytes, 1–255. The name contains neither `/` nor
    ///   NUL. It is `.` only if `offset` is 0, and `..` only if `offset` is 12
    void entry(int offset, int inode, int entryType, int nameOffset, int nameLength);
  }

  /// Initialises a block with one unused entry.
  public static void clear(ByteBuffer block) {
    zero(block, 0, SIZE);
    LittleEndian.put16(block, REC_LEN, SIZE);
  }

  /// Initialises the first block of a directory with the entries `.` and `..`.
  public static void begin(ByteBuffer block, int self, int parent) {
    zero(block, 0, SIZE);
    header(block, 0, self, MIN_LENGTH, 1, FileType.DIRECTORY);
    block.put(NAME, (byte) '.');
    header(block, MIN_LENGTH, parent, SIZE - MIN_LENGTH, 2, FileType.DIRECTORY);
    block.put(MIN_LENGTH + NAME, (byte) '.').put(MIN_LENGTH + NAME + 1, (byte) '.');
  }

  /// Adds an entry at the first position with enough free space.
  ///
  /// @param inode the number of the inode, above 0
  /// @return the offset of the new entry; -1 if the block does not have enough free space. An entry
  ///   with an impossible length counts as the end of the block
  public static int add(ByteBuffer block, Name name, int inode, FileType type) {
    int needed = length(name.length());
    for (int at = 0; whole(block, at); at += LittleEndian.u16(block, at + REC_LEN)) {
      int used = used(block, at);
      int room = LittleEndian.u16(block, at + REC_LEN) - used;
      if (room >= needed) {
        if (used > 0) {
          LittleEndian.put16(block, at + REC_LEN, used);
        }
        int added = at + used;
        header(block, added, inode, room, name.length(), type);
        for (int i = 0; i < name.length(); i++) {
          block.put(added + NAME + i, name.byteAt(i));
        }
        return added;
      }
    }
    return NO_ROOM;
  }

  /// Returns the length of the longest name that fits, in bytes; -1 if no name fits. An entry with
  /// an impossible length counts as the end of the block.
  public static int room(ByteBuffer block) {
    int most = 0;
    for (int at = 0; whole(block, at); at += LittleEndian.u16(block, at + REC_LEN)) {
      most = Math.max(most, LittleEndian.u16(block, at + REC_LEN) - used(block, at));
    }
    return most < MIN_LENGTH ? NO_ROOM : Math.min(most - NAME, Name.MAX_LENGTH);
  }

  /// Removes the entry at an offset.
  ///
  /// @throws DamagedFileSystemException if no entry begins at this offset
  public static void remove(ByteBuffer block, int offset) throws DamagedFileSystemException {
    int before = -1;
    int at = 0;
    while (at < offset && whole(block, at)) {
      before = at;
      at += LittleEndian.u16(block, at + REC_LEN);
    }
    if (at != offset || !whole(block, at)) {
      throw new DamagedFileSystemException("directory block", "no entry begins at " + offset);
    }
    int length = LittleEndian.u16(block, at + REC_LEN);
    zero(block, at, length);
    if (before < 0) {
      LittleEndian.put16(block, at + REC_LEN, length);
    } else {
      int room = LittleEndian.u16(block, before + REC_LEN) + length;
      LittleEndian.put16(block, before + REC_LEN, room);
    }
  }

  /// Visits the entries that are in use, including `.` and `..`.
  ///
  /// @param number the number of the block, for the message
  /// @throws DamagedFileSystemException at the first entry with an impossible length, an invalid
  ///   name or a negative inode number; the visitor has already received the entries before that
  ///   entry
  public static void visit(ByteBuffer block, long number, Visitor visitor)
      throws DamagedFileSystemException {
    int next;
    for (int at = 0; at < SIZE; at = next) {
      if (!whole(block, at)) {
        throw new DamagedFileSystemException(
            "directory block", number, "the entry at " + at + " has an impossible length");
      }
      // The length is read before the visit, because the visitor may remove the entry.
      next = at + LittleEndian.u16(block, at + REC_LEN);
      int inode = LittleEndian.i32(block, at);
      if (inode == 0) {
        continue;
      }
      int nameLength = LittleEndian.u8(block, at + NAME_LEN);
      if (inode < 0 || !name(block, at, nameLength)) {
        throw new DamagedFileSystemException(
            "directory block", number, "the entry at " + at + " has an invalid name or inode");
      }
      int entryType = LittleEndian.u8(block, at + FILE_TYPE);
      visitor.entry(at, inode, entryType, at + NAME, nameLength);
    }
  }

  /// Returns whether an entry with a valid length begins at an offset in the block.
  private static boolean whole(ByteBuffer block, int at) {
    if (at > SIZE - MIN_LENGTH) {
      return false;
    }
    int length = LittleEndian.u16(block, at + REC_LEN);
    return length >= MIN_LENGTH
        && length % Integer.BYTES == 0
        && length <= SIZE - at
        && used(block, at) <= length;
  }

  private static boolean name(ByteBuffer block, int at, int length) {
    int begin = at + NAME;
    for (int i = begin; i < begin + length; i++) {
      byte b = block.get(i);
      if (b == 0 || b == '/') {
        return false;
      }
    }
    boolean self = length == 1 && block.get(begin) == '.';
    boolean parent = length == 2 && block.get(begin) == '.' && block.get(begin + 1) == '.';
    return length > 0 && (!self || at == 0) && (!parent || at == MIN_LENGTH);
  }

  /// Returns the number of bytes that an entry uses, without free space after it; 0 for an unused
  /// entry.
  private static int used(ByteBuffer block, int at) {
    return LittleEndian.i32(block, at) == 0 ? 0 : length(LittleEndian.u8(block, at + NAME_LEN));
  }

  private static int length(int nameLength) {
    return (NAME + nameLength + Integer.BYTES - 1) & -Integer.BYTES;
  }

  private static void header(
      ByteBuffer block, int at, int inode, int length, int nameLength, FileType type) {
    LittleEndian.put32(block, at, inode);
    LittleEndian.put16(block, at + REC_LEN, length);
    block.put(at + NAME_LEN, (byte) nameLength).put(at + FILE_TYPE, (byte) type.entryType());
  }

  private static void zero(ByteBuffer block, int offset, int length) {
    for (int i = offset; i < offset + length; i += Integer.BYTES) {
      LittleEndian.put32(block, i, 0);
    }
  }
}
