package dev.pvcpopulators.ext4;

import dev.pvcpopulators.ext4.structure.Timestamp;
import dev.pvcpopulators.ext4.structure.Xattr;
import java.util.List;

/// The permissions, the owner, the modification time and the extended attributes of an entry.
///
/// @param permissions the lower 12 bits of the mode: set-user-ID, set-group-ID, sticky, and nine
///   permission bits
/// @param uid the user ID of the owner, 0 to 2³²-1
/// @param gid the group ID of the owner, 0 to 2³²-1
/// @param modified the modification time; the other times of the inode are set to the same value
public record Attributes(
    int permissions, long uid, long gid, Timestamp modified, List<Xattr> xattrs) {
  private static final int PERMISSIONS = 0xfff;
  private static final long MAX_ID = 0xffff_ffffL;

  /// The attributes of a directory that is created although no layer has an entry for it.
  public static final Attributes IMPLIED_DIRECTORY =
      new Attributes(0755, 0, 0, Timestamp.EPOCH, List.of());

  public Attributes {
    if ((permissions & ~PERMISSIONS) != 0) {
      throw new IllegalArgumentException("Permissions are 12 bits, found " + permissions);
    }
    if (uid < 0 || uid > MAX_ID || gid < 0 || gid > MAX_ID) {
      throw new IllegalArgumentException("IDs are 32 bits, found " + uid + " and " + gid);
    }
    xattrs = List.copyOf(xattrs);
  }
}
