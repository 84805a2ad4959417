package dev.pvcpopulators.registry.disk;

/// Bounds of what an image can make a search do.
final class SearchLimits {
  /// Characters of a path that is searched for, at most (Linux, PATH_MAX).
  static final int PATH_LENGTH = 4_096;

  /// Characters of one component of it, at most (Linux, NAME_MAX).
  static final int COMPONENT_LENGTH = 255;

  /// Components of a path, as many as an entry of an archive may have.
  static final int DEPTH = 128;

  /// Characters of a symbolic link's text, at most (Linux, PATH_MAX).
  static final int LINK_LENGTH = 4_096;

  /// Links that are followed (Linux, MAXSYMLINKS).
  static final int LINKS = 40;

  /// Names that are kept of the directory in question.
  static final int NAMES = 1_000;

  /// Names that a message lists.
  static final int SHOWN_NAMES = 10;

  /// Bytes that may be unpacked beside the disk in any case: more than whole operating systems
  /// have, and less than a minute of inflating zeros.
  static final long BESIDE = 16L << 30;

  /// Bytes that may be unpacked beside the disk for each byte that was pulled. Program files
  /// compress to a third; what goes beyond this is zeros, and takes more time to unpack than to
  /// pull.
  static final long BESIDE_PER_BYTE = 50;

  private SearchLimits() {}
}
