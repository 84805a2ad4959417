package dev.pvcpopulators.diskimage.volume;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/// The result of comparing a disk with the state stored when it was published.
///
/// @param record the disk's record of its source
/// @param same properties that are unchanged
/// @param different properties that have changed
public record DiskCheck(DiskRecord record, Set<Property> same, Set<Property> different) {
  /// The properties that can be compared.
  public enum Property {
    /// The inode number; a file that replaces another usually has another number.
    INODE,
    /// The length in bytes.
    SIZE,
    /// Time of the last change of the data. Every write changes it; a program can reset it.
    MTIME,
    /// Time of the last change of data, owner, mode or attributes. No program can reset it, but a
    /// kubelet that gives the volume to a pod's group changes it too.
    CTIME,
    /// All bytes of the disk.
    CONTENT
  }

  public DiskCheck {
    same = Collections.unmodifiableSet(copy(same));
    different = Collections.unmodifiableSet(copy(different));
  }

  /// Returns a copy that is iterated in the order of declaration.
  private static Set<Property> copy(Set<Property> properties) {
    Set<Property> copied = EnumSet.noneOf(Property.class);
    copied.addAll(properties);
    return copied;
  }

  /// Returns the result for a disk without a stored state.
  static DiskCheck unknown(DiskRecord record) {
    return new DiskCheck(record, Set.of(), Set.of());
  }

  /// Returns true if no write to the disk since its publication was detected. If the bytes were
  /// compared, they must be the same. Otherwise, the inode, the length and the time of the last
  /// write must be the same.
  public boolean unchanged() {
    if (different.contains(Property.CONTENT)) {
      return false;
    }
    return same.contains(Property.CONTENT)
        || same.containsAll(EnumSet.of(Property.INODE, Property.SIZE, Property.MTIME));
  }
}
