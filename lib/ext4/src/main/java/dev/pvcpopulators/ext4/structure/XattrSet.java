package dev.pvcpopulators.ext4.structure;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/// The extended attributes of one inode (kernel documentation, ext4, "Extended Attributes"):
/// attributes that do not fit into the inode are in one separate block. POSIX ACLs are stored in
/// the shorter form of ext4 (fs/ext4/acl.h).
///
/// @param inline the value for [Inode#inlineXattrs]; empty if no attribute is in the inode
/// @param block a buffer with a whole block, at position 0; empty if no block is needed. The
///   reference count in the block is 1
public record XattrSet(Bytes inline, Optional<ByteBuffer> block) {
  /// The greatest length of a name including its namespace, in bytes (include/uapi/linux/limits.h,
  /// `XATTR_NAME_MAX`).
  public static final int MAX_NAME = 255;

  private static final XattrSet NONE = new XattrSet(Bytes.NONE, Optional.empty());

  /// The maximum number of characters of a name in a message.
  private static final int SHOWN = 80;

  /// Distributes attributes between inode and block.
  ///
  /// As in Linux, these ACLs are omitted: an empty ACL, and an access ACL with only the entries
  /// that a mode can express.
  ///
  /// @param attributes the attributes in any order. If two attributes have the same name, the last
  ///   one is used. The written bytes do not depend on the order of attributes with different names
  /// @throws UnrepresentableException if the attributes do not fit into the inode and a block, if a
  ///   name is not in a namespace of ext4 (`user.`, `trusted.`, `security.`,
  ///   `system.posix_acl_access`, `system.posix_acl_default`), is longer than [#MAX_NAME] bytes or
  ///   contains NUL, or if an ACL is invalid
  public static XattrSet of(List<Xattr> attributes) throws UnrepresentableException {
    if (attributes.isEmpty()) {
      return NONE;
    }
    TreeMap<String, Xattr> last = new TreeMap<>();
    for (Xattr attribute : attributes) {
      last.put(attribute.name(), attribute);
    }
    TreeSet<XattrEntry> entries = new TreeSet<>(XattrEntry.ORDER);
    for (Xattr attribute : last.values()) {
      entry(attribute).ifPresent(entries::add);
    }
    XattrRegion inode = XattrRegion.inode();
    XattrRegion block = XattrRegion.block();
    for (XattrEntry entry : entries) {
      if (!inode.add(entry) && !block.add(entry)) {
        throw new UnrepresentableException(
            "The extended attributes do not fit into an inode and a block: no room for %s of %d bytes"
                .formatted(shown(entry.wholeName()), entry.value().length()));
      }
    }
    return new XattrSet(
        inode.empty() ? Bytes.NONE : Bytes.read(inode.bytes(), Inode.INLINE_XATTRS),
        block.empty() ? Optional.empty() : Optional.of(block.bytes()));
  }

  private static Optional<XattrEntry> entry(Xattr attribute) throws UnrepresentableException {
    String name = attribute.name();
    XattrNamespace namespace =
        XattrNamespace.ofName(name)
            .orElseThrow(() ->
                new UnrepresentableException(
                    "ext4 cannot store an extended attribute with this name: " + shown(name)));
    if (name.length() > MAX_NAME || name.getBytes(UTF_8).length > MAX_NAME) {
      throw new UnrepresentableException(
          "An extended attribute's name has at most %d bytes: %s".formatted(MAX_NAME, shown(name)));
    }
    if (name.indexOf('\0') >= 0) {
      throw new UnrepresentableException("An extended attribute's name has a NUL: " + shown(name));
    }
    if (namespace.acl()) {
      boolean access = namespace == XattrNamespace.POSIX_ACL_ACCESS;
      return PosixAcl.toDisk(attribute.value(), access)
          .map(value -> new XattrEntry(namespace, Bytes.NONE, value));
    }
    Bytes suffix = Bytes.of(name.substring(namespace.prefix().length()).getBytes(UTF_8));
    return Optional.of(new XattrEntry(namespace, suffix, attribute.value()));
  }

  /// Returns a name for a message: its length is limited, and it has no control characters.
  private static String shown(String name) {
    String begin = name.length() > SHOWN ? name.substring(0, SHOWN) + "…" : name;
    return begin.replaceAll("\\p{Cc}", "?");
  }
}
