package dev.pvcpopulators.registry.local;

/// Constants and bounds of tar (POSIX.1-2017, pax, "ustar Interchange Format"; GNU tar manual,
/// "Basic Tar Format").
final class TarFormat {
  /// Unit of everything.
  static final int BLOCK_LENGTH = 512;

  /// Headers of an archive, at most, those of long names included.
  static final int ENTRIES = 100_000;

  /// Bytes of a long name or an extended header, at most.
  static final int EXTENSION_LENGTH = 1 << 20;

  /// Characters of all names and link targets together, at most: they stay in memory.
  static final int NAMES_LENGTH = 8 << 20;

  /// Links from an entry to its data, at most.
  static final int LINKS = 8;

  private TarFormat() {}
}
