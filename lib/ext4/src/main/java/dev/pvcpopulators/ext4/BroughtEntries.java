package dev.pvcpopulators.ext4;

/// The entries of directories that the layer brought: 8 to 22 bytes for each. An entry is known by
/// its place, which it keeps as long as it exists.
final class BroughtEntries {
  private static final int OFFSET_BITS = 10;

  private final NumberSet places = new NumberSet();

  /// Never 0: block 0 is the superblock's.
  private static long place(DirectoryEntry entry) {
    return (entry.block() << OFFSET_BITS) | (entry.offset() / Integer.BYTES);
  }

  boolean contains(DirectoryEntry entry) {
    return places.contains(place(entry));
  }

  void add(DirectoryEntry entry) {
    places.add(place(entry));
  }

  /// Forgets an entry, where it is known.
  void remove(DirectoryEntry entry) {
    places.remove(place(entry));
  }
}
