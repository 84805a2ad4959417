package dev.pvcpopulators.diskimage.archive;

/// How much an archive may bring.
///
/// @param entries files, directories and links, at most
/// @param bytes length of all files together, holes included, at most
public record ArchiveLimits(long entries, long bytes) {
  /// Bytes of a whole name, at most (Linux, PATH_MAX).
  static final int NAME_LENGTH = 4096;

  /// Bytes of one component of a name, at most (Linux, NAME_MAX).
  static final int COMPONENT_LENGTH = 255;

  /// Components of a name: walking a tree keeps a file descriptor open for each of them.
  static final int DEPTH = 128;

  /// Bytes that the headers of one entry may have: long names, extended headers, sparse maps.
  static final int HEADERS_LENGTH = 1 << 20;

  public ArchiveLimits {
    if (entries < 0 || bytes < 0) {
      throw new IllegalArgumentException("entries " + entries + ", bytes " + bytes);
    }
  }
}
