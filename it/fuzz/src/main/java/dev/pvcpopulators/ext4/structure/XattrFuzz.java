package dev.pvcpopulators.ext4.structure;

import dev.pvcpopulators.fuzz.Feed;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// Fuzzes extended attributes. If a list of attributes is accepted, the reversed list must give the
/// same bytes.
public final class XattrFuzz {
  private XattrFuzz() {}

  /// Encodes a list of attributes. If the attributes are accepted, also encodes the reversed list.
  public static void fuzzerTestOneInput(byte[] data) {
    Feed feed = new Feed(data);
    List<Xattr> attributes = new ArrayList<>();
    int count = feed.below(20);
    for (int i = 0; i < count; i++) {
      String name = name(feed);
      int length = feed.flag() ? feed.next16() & 0xfff : feed.next();
      if (attributes.stream().noneMatch(other -> other.name().equals(name))) {
        attributes.add(new Xattr(name, Bytes.of(feed.take(length))));
      }
    }
    XattrSet written;
    try {
      written = XattrSet.of(attributes);
    } catch (UnrepresentableException _) {
      // The attributes are too large, or a name is not valid.
      return;
    }
    try {
      if (!XattrSet.of(attributes.reversed()).equals(written)) {
        throw new AssertionError("The bytes depend on the order of " + attributes);
      }
    } catch (UnrepresentableException e) {
      throw new AssertionError("The refusal depends on the order of " + attributes, e);
    }
  }

  private static String name(Feed feed) {
    String prefix =
        switch (feed.below(6)) {
          case 0 -> "user.";
          case 1 -> "trusted.";
          case 2 -> "security.";
          case 3 -> "system.posix_acl_access";
          case 4 -> "system.posix_acl_default";
          default -> "";
        };
    return prefix + new String(feed.take(feed.below(30)), StandardCharsets.UTF_8);
  }
}
