package dev.pvcpopulators.ext4.index;

/// The directory entries that the current layer contains: entries that the layer added, and entries
/// of lower layers that the current layer contains, too. In a large set without removals, each
/// entry takes 11 to 22 bytes of memory. The position of an entry identifies the entry, because the
/// position does not change while the entry exists.
public final class BroughtEntries {
  private static final int OFFSET_BITS = 10;

  private final NumberSet places = new NumberSet();

  /// Returns the position of an entry as one number. The number is never 0, because block 0
  /// contains the superblock.
  private static long place(DirectoryEntry entry) {
    return (entry.block() << OFFSET_BITS) | (entry.offset() / Integer.BYTES);
  }

  public boolean contains(DirectoryEntry entry) {
    return places.contains(place(entry));
  }

  public void add(DirectoryEntry entry) {
    places.add(place(entry));
  }

  /// Removes an entry if it is in the set.
  public void remove(DirectoryEntry entry) {
    places.remove(place(entry));
  }
}
