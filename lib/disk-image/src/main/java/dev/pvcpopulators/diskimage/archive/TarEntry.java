package dev.pvcpopulators.diskimage.archive;

import java.util.List;

/// The metadata of one tar entry.
///
/// @param name components below the archive's root, without empty ones, `.` and `..`; empty for the
///   root itself
/// @param linkText the target of a link, as written in the archive; empty for other entries
/// @param length bytes of a file, holes included; 0 for other entries
public record TarEntry(List<String> name, Kind kind, String linkText, long length) {
  /// The type of an entry.
  public enum Kind {
    FILE,
    DIRECTORY,
    SYMBOLIC_LINK,
    /// Another name of a file in the same archive or in a lower layer.
    HARD_LINK,
    /// Devices, FIFOs and unknown types.
    SPECIAL
  }

  public TarEntry {
    name = List.copyOf(name);
  }

  /// Returns the components of a hard link's target.
  ///
  /// @throws dev.pvcpopulators.diskimage.MalformedImageException if it is not a valid name
  public List<String> hardLinkTarget() throws java.io.IOException {
    return EntryName.parseRooted(linkText).components();
  }
}
