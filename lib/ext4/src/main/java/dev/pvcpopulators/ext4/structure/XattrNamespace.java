package dev.pvcpopulators.ext4.structure;

import java.util.Optional;

/// The prefix of an attribute's name; ext4 stores this prefix as a number (kernel documentation,
/// ext4, "Extended Attributes", attribute name indices).
enum XattrNamespace {
  USER(1, "user."),
  POSIX_ACL_ACCESS(2, "system.posix_acl_access"),
  POSIX_ACL_DEFAULT(3, "system.posix_acl_default"),
  TRUSTED(4, "trusted."),
  SECURITY(6, "security.");

  private final int index;
  private final String prefix;

  XattrNamespace(int index, String prefix) {
    this.index = index;
    this.prefix = prefix;
  }

  /// Returns `e_name_index`.
  int index() {
    return index;
  }

  /// Returns the prefix that the index represents; for an ACL, this prefix is the whole name of the
  /// attribute.
  String prefix() {
    return prefix;
  }

  /// Returns whether this is the namespace of an ACL.
  boolean acl() {
    return switch (this) {
      case POSIX_ACL_ACCESS, POSIX_ACL_DEFAULT -> true;
      case USER, TRUSTED, SECURITY -> false;
    };
  }

  /// Returns the namespace of an attribute.
  ///
  /// @param name the name of the attribute, including the prefix of its namespace
  ///
  /// @return the namespace; empty if ext4 cannot store an attribute with this name
  static Optional<XattrNamespace> ofName(String name) {
    for (XattrNamespace namespace : values()) {
      boolean member =
          namespace.acl()
              ? name.equals(namespace.prefix)
              : name.startsWith(namespace.prefix) && name.length() > namespace.prefix.length();
      if (member) {
        return Optional.of(namespace);
      }
    }
    return Optional.empty();
  }
}
