package dev.pvcpopulators.imagetoqcow2layers.layer;

import dev.pvcpopulators.diskimage.archive.TarMember;
import dev.pvcpopulators.ext4.structure.Bytes;
import dev.pvcpopulators.ext4.structure.Xattr;
import java.util.List;

/// Selects the extended attributes that ext4 can hold.
///
/// Other attributes are dropped, and the image is not refused. Container engines also drop
/// attributes that the file system does not support (`ENOTSUP`).
final class KeptAttributes {
  private static final String USER = "user.";
  private static final List<String> SPACES = List.of(USER, "trusted.", "security.");
  private static final String ACCESS_LIST = "system.posix_acl_access";
  private static final String DEFAULT_ACCESS_LIST = "system.posix_acl_default";

  private KeptAttributes() {}

  /// Returns the entry's attributes that ext4 can hold.
  static List<Xattr> of(TarMember member) {
    return member.attributes().stream()
        .filter(attribute -> fits(attribute.name(), member.type()))
        .map(attribute -> new Xattr(attribute.name(), Bytes.of(attribute.value().bytes())))
        .toList();
  }

  private static boolean fits(String name, TarMember.Type type) {
    if (name.equals(ACCESS_LIST)) {
      return type != TarMember.Type.SYMBOLIC_LINK;
    }
    if (name.equals(DEFAULT_ACCESS_LIST)) {
      return type == TarMember.Type.DIRECTORY;
    }
    for (String space : SPACES) {
      if (name.startsWith(space) && name.length() > space.length()) {
        return !space.equals(USER) || holdsUserAttributes(type);
      }
    }
    return false;
  }

  /// Returns whether Linux supports `user.` attributes for the type (man 7 xattr, "User extended
  /// attributes").
  private static boolean holdsUserAttributes(TarMember.Type type) {
    return switch (type) {
      case FILE, DIRECTORY -> true;
      case SYMBOLIC_LINK, HARD_LINK, CHARACTER_DEVICE, BLOCK_DEVICE, FIFO, OTHER -> false;
    };
  }
}
