package dev.pvcpopulators.registry.disk;

/// Limits for the requested path, and for the resources that an image can cause a search to use.
final class SearchLimits {
  /// Maximum number of characters of the searched path (Linux, PATH_MAX).
  static final int PATH_LENGTH = 4_096;

  /// Maximum number of characters of one component of this path (Linux, NAME_MAX).
  static final int COMPONENT_LENGTH = 255;

  /// Maximum number of components of a path, the same as for an entry of an archive.
  static final int DEPTH = 128;

  /// Maximum number of characters of a symbolic link's text (Linux, PATH_MAX).
  static final int LINK_LENGTH = 4_096;

  /// Maximum number of links that are followed (Linux, MAXSYMLINKS).
  static final int LINKS = 40;

  /// Maximum number of names in each set that a search stores for the directory of the searched
  /// path. The sets are the names that match in one layer, the matching names that one layer
  /// deletes, and the names that the upper layers hide.
  static final int NAMES = 1_000;

  /// Maximum number of names in a message.
  static final int SHOWN_NAMES = 10;

  /// Number of bytes that may be decompressed in addition to the disk, regardless of the number of
  /// pulled bytes. A complete operating system is usually smaller than this limit. Decompressing
  /// this many zeros takes less than a minute.
  static final long BESIDE = 16L << 30;

  /// Number of bytes that may be decompressed for each pulled byte, in addition to the disk and to
  /// [#BESIDE]. Program files decompress to about three times their compressed size. A layer that
  /// decompresses to a much larger multiple consists mostly of zeros, which take more time to
  /// decompress than to pull.
  static final long BESIDE_PER_BYTE = 50;

  private SearchLimits() {}
}
