package dev.pvcpopulators.ext4;

import java.io.IOException;

/// Makes file systems.
@SuppressWarnings("DoNotCallSuggester")
public final class Ext4 {
  private Ext4() {}

  /// Writes an empty file system with nothing but its root directory (mode 0755, owned by 0:0), and
  /// no journal: what the lowest layer begins with. The same geometry gives the same bytes.
  ///
  /// @param device as large as the geometry says; reads as zeros
  public static void format(BlockDevice device, Geometry geometry) throws IOException {
    throw new UnsupportedOperationException("skeleton");
  }

  /// Gives a file system a journal (jbd2, inode 8), for whoever will write to it.
  ///
  /// @param device holds a file system without one
  /// @param length bytes of the journal: a multiple of 4,096, 4 MiB to 1 GiB
  /// @throws FileSystemFullException where there is no room for it
  public static void addJournal(BlockDevice device, long length) throws IOException {
    throw new UnsupportedOperationException("skeleton");
  }

  /// Bytes of the journal that suits a file system: what `mke2fs` would take, at most 64 MiB.
  public static long journalLength(Geometry geometry) {
    throw new UnsupportedOperationException("skeleton");
  }
}
