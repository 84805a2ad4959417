package dev.pvcpopulators.diskimage.volume;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/// What of a disk was compared with the state noted when it was published.
///
/// @param record what it was made from, by its own word
/// @param same what was found as it was then
/// @param different what was found otherwise
public record DiskCheck(DiskRecord record, Set<Property> same, Set<Property> different) {
  /// What can be compared.
  public enum Property {
    /// The file's number: another file has another one.
    INODE,
    /// The length in bytes.
    SIZE,
    /// When the data changed last. Every write changes it; a program can set it back.
    MTIME,
    /// When the data, owner, mode or attributes changed last. No program can set it back, but a
    /// kubelet that gives the volume to a pod's group changes it too.
    CTIME,
    /// All bytes of the disk.
    CONTENT
  }

  public DiskCheck {
    same = Collections.unmodifiableSet(copy(same));
    different = Collections.unmodifiableSet(copy(different));
  }

  /// In the order of declaration.
  private static Set<Property> copy(Set<Property> properties) {
    Set<Property> copied = EnumSet.noneOf(Property.class);
    copied.addAll(properties);
    return copied;
  }

  /// Of a disk whose state was not noted.
  static DiskCheck unknown(DiskRecord record) {
    return new DiskCheck(record, Set.of(), Set.of());
  }

  /// Whether nothing speaks for a write to the disk since it was published: its bytes are the same,
  /// or, where they were not compared, file, length and time of the last write are.
  public boolean unchanged() {
    if (different.contains(Property.CONTENT)) {
      return false;
    }
    return same.contains(Property.CONTENT)
        || same.containsAll(EnumSet.of(Property.INODE, Property.SIZE, Property.MTIME));
  }
}
