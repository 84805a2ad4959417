package dev.pvcpopulators.ext4.structure;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

/// The extended attributes of one inode (kernel documentation, ext4, "Extended Attributes"): in the
/// inode as far as there is room, else in one block of its own. POSIX ACLs are kept in ext4's own
/// shorter form (fs/ext4/acl.h) and given in the system calls'.
///
/// @param inline for [Inode#inlineXattrs]: empty where there are none
/// @param block a whole block, position 0; empty where none is needed. Its reference count is 1
@SuppressWarnings("DoNotCallSuggester")
public record XattrSet(Bytes inline, Optional<ByteBuffer> block) {
  /// Puts attributes into their places.
  ///
  /// @param attributes in any order; the same ones give the same bytes. Of two with one name the
  ///   last counts
  /// @throws UnrepresentableException where they do not fit, or a name is in no namespace that ext4
  ///   knows (`user.`, `trusted.`, `security.`, `system.posix_acl_access`,
  ///   `system.posix_acl_default`)
  public static XattrSet of(List<Xattr> attributes) throws UnrepresentableException {
    throw new UnsupportedOperationException("skeleton");
  }

  /// The attributes, as the system calls would give them, in the order of their names.
  ///
  /// @param number of the block, for messages
  public static List<Xattr> read(Bytes inline, Optional<ByteBuffer> block, long number)
      throws DamagedFileSystemException {
    throw new UnsupportedOperationException("skeleton");
  }
}
