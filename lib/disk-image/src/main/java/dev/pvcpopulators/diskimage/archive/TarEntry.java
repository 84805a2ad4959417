package dev.pvcpopulators.diskimage.archive;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/// The name, type, link target and length of one tar entry.
///
/// @param name components below the archive's root. Empty components and `.` are left out; a name
///   with `..` is not valid. The list is empty for the root itself
/// @param linkText the target of a link as written in the archive, but bytes that are not UTF-8 are
///   replaced; empty for an entry that is not a link
/// @param length bytes of a file, holes included; 0 for other entries
public record TarEntry(List<String> name, Kind kind, String linkText, long length) {
  /// The type of an entry.
  public enum Kind {
    FILE,
    DIRECTORY,
    SYMBOLIC_LINK,
    /// A hard link: another name of a file in the same archive or, in a container image, in a lower
    /// layer.
    HARD_LINK,
    /// Devices, FIFOs and unknown types.
    SPECIAL
  }

  public TarEntry {
    name = List.copyOf(name);
  }

  /// Skips the rest of the archive's current entry and returns the next entry; empty at the end.
  ///
  /// @throws dev.pvcpopulators.diskimage.MalformedImageException if the entry's name is not valid,
  ///   or the archive is damaged
  public static Optional<TarEntry> next(TarReader archive) throws IOException {
    Optional<TarMember> member = archive.next();
    return member.isEmpty() ? Optional.empty() : Optional.of(of(member.get()));
  }

  private static TarEntry of(TarMember member) throws IOException {
    Kind kind =
        switch (member.type()) {
          case FILE -> Kind.FILE;
          case DIRECTORY -> Kind.DIRECTORY;
          case SYMBOLIC_LINK -> Kind.SYMBOLIC_LINK;
          case HARD_LINK -> Kind.HARD_LINK;
          case CHARACTER_DEVICE, BLOCK_DEVICE, FIFO, OTHER -> Kind.SPECIAL;
        };
    return new TarEntry(
        EntryName.parseRooted(member.name().toString()).components(),
        kind,
        member.linkName().toString(),
        member.length());
  }

  /// Returns the components of a hard link's target.
  ///
  /// @throws dev.pvcpopulators.diskimage.MalformedImageException if the target is not a valid name
  public List<String> hardLinkTarget() throws IOException {
    return EntryName.parseRooted(linkText).components();
  }
}
