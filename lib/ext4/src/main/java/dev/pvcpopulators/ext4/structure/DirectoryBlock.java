package dev.pvcpopulators.ext4.structure;

import java.nio.ByteBuffer;

/// One block of a linear directory, changed in place (kernel documentation, ext4, "Linear (Classic)
/// Directories"). Entries never move: a new one takes the room behind another, a removed one gives
/// its room to the one before, as Linux does it.
///
/// All offsets are bytes from the beginning of the block, and multiples of 4.
@SuppressWarnings("DoNotCallSuggester")
public final class DirectoryBlock {
  private DirectoryBlock() {}

  /// Hears of entries.
  @FunctionalInterface
  public interface Visitor {
    /// Takes one entry.
    ///
    /// @param offset of the entry
    /// @param inode not 0
    /// @param entryType as [FileType#entryType]
    /// @param nameOffset where its name begins in the block
    /// @param nameLength bytes
    void entry(int offset, int inode, int entryType, int nameOffset, int nameLength);
  }

  /// Makes a block one unused entry.
  public static void clear(ByteBuffer block) {
    throw new UnsupportedOperationException("skeleton");
  }

  /// Makes a block the first of a directory: `.` and `..`.
  public static void begin(ByteBuffer block, int self, int parent) {
    throw new UnsupportedOperationException("skeleton");
  }

  /// Adds an entry where there is room first.
  ///
  /// @return its offset; -1 where there is no room
  public static int add(ByteBuffer block, Name name, int inode, FileType type) {
    throw new UnsupportedOperationException("skeleton");
  }

  /// The longest name for which there is room, in bytes; -1 where there is none for any.
  public static int room(ByteBuffer block) {
    throw new UnsupportedOperationException("skeleton");
  }

  /// Removes the entry at an offset.
  public static void remove(ByteBuffer block, int offset) {
    throw new UnsupportedOperationException("skeleton");
  }

  /// Lets the entry at an offset lead to another inode.
  public static void point(ByteBuffer block, int offset, int inode, FileType type) {
    throw new UnsupportedOperationException("skeleton");
  }

  /// Goes through the entries that are in use, `.` and `..` included.
  ///
  /// @param number of the block, for the message
  /// @throws DamagedFileSystemException where lengths lead out of the block or nowhere; before the
  ///   visitor hears of the entry
  public static void visit(ByteBuffer block, long number, Visitor visitor)
      throws DamagedFileSystemException {
    throw new UnsupportedOperationException("skeleton");
  }
}
