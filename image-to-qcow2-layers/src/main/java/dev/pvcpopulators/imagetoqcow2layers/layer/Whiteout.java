package dev.pvcpopulators.imagetoqcow2layers.layer;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.archive.TarMember;
import dev.pvcpopulators.ext4.EntryPath;
import dev.pvcpopulators.ext4.structure.Name;
import java.nio.ByteBuffer;
import java.util.Arrays;

/// The effect of an entry's name on the layers below (OCI image-spec 1.1, layer.md, "Whiteouts").
enum Whiteout {
  /// No effect: the name belongs to an ordinary entry.
  NONE,
  /// In the entry's directory, removes one file or directory of the layers below.
  NAME,
  /// Removes everything that the layers below have in the entry's directory.
  OPAQUE,
  /// No effect, and the entry is ignored. AUFS used names that begin with `.wh..wh.` for its own
  /// files.
  IGNORED;

  private static final byte[] PREFIX = ".wh.".getBytes(US_ASCII);
  private static final byte[] RESERVED = ".wh..wh.".getBytes(US_ASCII);
  private static final Name OPAQUE_NAME = Name.of(".wh..wh..opq");

  static Whiteout of(EntryPath path) {
    if (path.root()) {
      return NONE;
    }
    if (path.parent().names().stream().anyMatch(above -> startsWith(above, RESERVED))) {
      return IGNORED;
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

  /// Returns the path that a whiteout removes.
  ///
  /// @param path the path of an entry whose effect is [#NAME]
  /// @throws MalformedImageException if the rest of the name after `.wh.` is not a valid name
  static EntryPath target(EntryPath path, TarMember member) throws MalformedImageException {
    byte[] bytes = path.last().toArray();
    byte[] name = Arrays.copyOfRange(bytes, PREFIX.length, bytes.length);
    try {
      return path.parent().child(Name.of(name));
    } catch (IllegalArgumentException e) {
      throw new MalformedImageException(
          "tar entry " + member.quoted(), -1, "expected the name that the whiteout removes", e);
    }
  }

  private static boolean startsWith(Name name, byte[] prefix) {
    return name.length() >= prefix.length
        && name.buffer().slice(0, prefix.length).equals(ByteBuffer.wrap(prefix));
  }
}
