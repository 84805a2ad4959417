package dev.pvcpopulators.ext4.structure;

import dev.pvcpopulators.fuzz.Feed;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/// Fuzzes extended attributes and directory blocks: written ones read back equal; arbitrary bytes
/// are read, or refused with a valid message.
public final class XattrFuzz {
  private static final int BLOCK = 4096;
  private static final int INLINE = 96;

  private XattrFuzz() {}

  /// Writes and reads attributes, or parses the bytes as attributes.
  public static void fuzzerTestOneInput(byte[] data) {
    Feed feed = new Feed(data);
    if (feed.flag()) {
      writeAndRead(feed);
    } else {
      read(feed);
    }
  }

  private static void writeAndRead(Feed feed) {
    List<Xattr> attributes = new ArrayList<>();
    int count = feed.below(20);
    for (int i = 0; i < count; i++) {
      String name = name(feed);
      int length = feed.flag() ? feed.next16() & 0xfff : feed.next();
      if (attributes.stream().noneMatch(other -> other.name().equals(name))) {
        attributes.add(new Xattr(name, Bytes.of(feed.take(length))));
      }
    }
    try {
      XattrSet set = XattrSet.of(attributes);
      List<Xattr> found = XattrSet.read(set.inline(), set.block(), 0);
      attributes.removeIf(attribute -> attribute.name().startsWith("system.posix_acl"));
      attributes.sort(Comparator.comparing(Xattr::name));
      List<Xattr> others =
          found.stream()
              .filter(attribute -> !attribute.name().startsWith("system.posix_acl"))
              .toList();
      if (!others.equals(attributes)) {
        throw new AssertionError("wrote " + attributes + ", read " + others);
      }
    } catch (UnrepresentableException _) {
      // Too large, or not a valid name.
    } catch (DamagedFileSystemException e) {
      throw new AssertionError("What was written cannot be read", e);
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

  private static void read(Feed feed) {
    boolean block = feed.flag();
    byte[] bytes = java.util.Arrays.copyOf(feed.rest(), block ? BLOCK : INLINE);
    try {
      if (block) {
        XattrSet.read(
            Bytes.NONE, Optional.of(ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN)), 1);
      } else {
        XattrSet.read(Bytes.of(bytes), Optional.empty(), 0);
      }
    } catch (DamagedFileSystemException _) {
      // Refused with a valid message.
    }
  }
}
