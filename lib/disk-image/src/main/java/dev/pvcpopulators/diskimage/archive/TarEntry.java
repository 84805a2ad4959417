package dev.pvcpopulators.diskimage.archive;

import java.util.List;

/// What a tar archive says of one entry.
///
/// @param name components below the archive's root, without empty ones and `.`; none for the root
///   itself. There is no `..` in it
/// @param linkText where a link leads, as it was written; empty for what is no link
/// @param length bytes of a file, holes included; 0 for anything else
public record TarEntry(List<String> name, Kind kind, String linkText, long length) {
  /// What an entry is.
  public enum Kind {
    FILE,
    DIRECTORY,
    SYMBOLIC_LINK,
    /// Another name of a file in the same archive, or below.
    HARD_LINK,
    /// Devices, FIFOs and what nobody knows.
    SPECIAL
  }

  public TarEntry {
    name = List.copyOf(name);
  }

  /// The components of a hard link's target.
  ///
  /// @throws dev.pvcpopulators.diskimage.MalformedImageException where it is no name
  public List<String> hardLinkTarget() throws java.io.IOException {
    return EntryName.parseRooted(linkText).components();
  }
}
