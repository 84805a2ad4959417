package dev.pvcpopulators.diskimage.volume;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;
import java.util.TreeSet;

/// The result of comparing a disk with the state that was stored when the disk was published.
///
/// @param record the disk's record of its source
/// @param same properties that are unchanged
/// @param different properties that have changed
public record DiskCheck(DiskRecord record, Set<Property> same, Set<Property> different) {
  /// The properties that can be compared.
  public enum Property {
    /// The inode number. If a new file replaces the disk's file, the new file usually has a
    /// different inode number.
    INODE,
    /// The length in bytes.
    SIZE,
    /// Time of the last change of the data. A write changes this time, but a program can set it
    /// back to the old value.
    MTIME,
    /// Time of the last change of data, owner, mode, attributes or names. No program can set this
    /// time back to an old value. The kubelet also changes this time when it changes the group of
    /// the volume's files for a pod (`fsGroup`).
    CTIME,
    /// All bytes of the disk.
    CONTENT
  }

  public DiskCheck {
    // A TreeSet iterates over the properties in the order in which [Property] declares them.
    same = Collections.unmodifiableSet(new TreeSet<>(same));
    different = Collections.unmodifiableSet(new TreeSet<>(different));
  }

  /// Returns the result for a disk without a stored state.
  static DiskCheck unknown(DiskRecord record) {
    return new DiskCheck(record, Set.of(), Set.of());
  }

  /// Returns true if the comparison found no write to the disk since its publication. If the bytes
  /// were compared, only the result of this comparison counts. Otherwise, the inode, the length and
  /// the time of the last change of the data must be the same. Returns false if no state was
  /// stored.
  public boolean unchanged() {
    if (different.contains(Property.CONTENT)) {
      return false;
    }
    return same.contains(Property.CONTENT)
        || same.containsAll(EnumSet.of(Property.INODE, Property.SIZE, Property.MTIME));
  }
}
