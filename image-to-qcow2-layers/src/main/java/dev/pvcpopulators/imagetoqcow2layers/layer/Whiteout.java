package dev.pvcpopulators.imagetoqcow2layers.layer;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.archive.TarMember;
import dev.pvcpopulators.ext4.EntryPath;
import dev.pvcpopulators.ext4.structure.Name;
import java.util.Arrays;

/// What the name of an entry says of the layers below (OCI image-spec 1.1, layer.md, "Whiteouts").
enum Whiteout {
  /// Nothing: it is an entry.
  NONE,
  /// That one name goes.
  NAME,
  /// That all goes that the directory has.
  OPAQUE,
  /// Nothing, and it is no entry either: AUFS keeps its own files by such names.
  IGNORED;

  private static final byte[] PREFIX = ".wh.".getBytes(US_ASCII);
  private static final byte[] RESERVED = ".wh..wh.".getBytes(US_ASCII);
  private static final Name OPAQUE_NAME = Name.of(".wh..wh..opq");

  static Whiteout of(EntryPath path) {
    if (path.root()) {
      return NONE;
    }
    int last = path.names().size() - 1;
    for (int i = 0; i < last; i++) {
      if (startsWith(path.names().get(i), RESERVED)) {
        return IGNORED;
      }
    }
    Name name = path.last();
    if (!startsWith(name, PREFIX)) {
      return NONE;
    }
    if (name.equals(OPAQUE_NAME)) {
      return OPAQUE;
    }
    return startsWith(name, RESERVED) ? IGNORED : NAME;
  }

  /// What goes.
  ///
  /// @param path of a whiteout of one name
  /// @throws MalformedImageException where it names nothing that could go
  static EntryPath target(EntryPath path, TarMember member) throws MalformedImageException {
    byte[] bytes = path.last().bytes();
    byte[] name = Arrays.copyOfRange(bytes, PREFIX.length, bytes.length);
    try {
      return path.parent().child(Name.of(name));
    } catch (IllegalArgumentException e) {
      throw new MalformedImageException(
          "tar entry " + member.quoted(), -1, "expected the name of what the whiteout removes", e);
    }
  }

  private static boolean startsWith(Name name, byte[] prefix) {
    if (name.length() < prefix.length) {
      return false;
    }
    for (int i = 0; i < prefix.length; i++) {
      if (name.byteAt(i) != prefix[i]) {
        return false;
      }
    }
    return true;
  }
}
