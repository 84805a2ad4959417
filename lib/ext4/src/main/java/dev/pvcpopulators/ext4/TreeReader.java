package dev.pvcpopulators.ext4;

import java.io.IOException;
import java.util.Optional;

/// Looks into a file system. For one thread.
@SuppressWarnings("DoNotCallSuggester")
public final class TreeReader {
  private TreeReader() {}

  public static TreeReader open(BlockDevice device) throws IOException {
    throw new UnsupportedOperationException("skeleton");
  }

  /// The content of a regular file, symbolic links followed inside the file system.
  ///
  /// @param maxLength bytes; a longer file is refused
  /// @return empty where there is none of that name, or something else
  /// @throws java.nio.file.FileSystemException where it is longer
  public Optional<byte[]> file(EntryPath path, int maxLength) throws IOException {
    throw new UnsupportedOperationException("skeleton");
  }

  /// Bytes that files, directories and the file system itself take, and inodes that are in use.
  public Usage usage() throws IOException {
    throw new UnsupportedOperationException("skeleton");
  }

  /// How full a file system is.
  ///
  /// @param blocks of 4,096 bytes that are in use
  /// @param inodes that are in use, the ten reserved ones included
  public record Usage(long blocks, long blockCount, long inodes, long inodeCount) {}
}
