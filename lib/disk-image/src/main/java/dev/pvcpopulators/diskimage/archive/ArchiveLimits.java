package dev.pvcpopulators.diskimage.archive;

/// Limits for the content of an archive.
///
/// @param entries maximum number of entries
/// @param bytes maximum length of all files together, holes included
public record ArchiveLimits(long entries, long bytes) {
  /// Maximum length of a complete name in bytes (Linux, PATH_MAX).
  static final int NAME_LENGTH = 4096;

  /// Maximum length of one component of a name in bytes (Linux, NAME_MAX).
  static final int COMPONENT_LENGTH = 255;

  /// Maximum number of components of a name. The number is limited because a walk through a file
  /// tree keeps one file descriptor open for each directory on the current path.
  static final int DEPTH = 128;

  /// Maximum length in bytes of the headers of one entry (long names, extended headers, sparse
  /// maps). The same limit applies to the total length of all global headers of an archive.
  static final int HEADERS_LENGTH = 1 << 20;

  public ArchiveLimits {
    if (entries < 0 || bytes < 0) {
      throw new IllegalArgumentException("entries " + entries + ", bytes " + bytes);
    }
  }
}
