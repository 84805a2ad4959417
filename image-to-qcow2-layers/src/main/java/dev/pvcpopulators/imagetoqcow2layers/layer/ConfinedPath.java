package dev.pvcpopulators.imagetoqcow2layers.layer;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.Quoted;
import dev.pvcpopulators.diskimage.archive.ByteString;
import dev.pvcpopulators.ext4.EntryPath;
import dev.pvcpopulators.ext4.structure.Name;
import java.util.ArrayList;
import java.util.List;

/// Where a name in an archive leads to: below the root, whatever it says. A `/` in front means
/// nothing, nor do `.` and empty components; `..` takes the name before it back, and nothing where
/// there is none.
final class ConfinedPath {
  /// Bytes of a name: Linux takes none longer (`PATH_MAX`).
  private static final int MAX_LENGTH = 4096;

  private ConfinedPath() {}

  /// Takes a name apart.
  ///
  /// @param entry in whose header it stands, for messages
  /// @throws MalformedImageException where a component is longer than a name can be, or has a NUL
  static EntryPath of(ByteString name, String entry) throws MalformedImageException {
    String text = name.latin1();
    if (text.length() > MAX_LENGTH) {
      throw malformed(entry, "a name is longer than " + MAX_LENGTH + " bytes");
    }
    if (text.indexOf('\0') >= 0) {
      throw malformed(entry, "a name contains NUL");
    }
    List<Name> names = new ArrayList<>();
    int start = 0;
    while (start <= text.length()) {
      int slash = text.indexOf('/', start);
      int end = slash < 0 ? text.length() : slash;
      add(names, text.substring(start, end), entry);
      start = end + 1;
    }
    return new EntryPath(names);
  }

  private static void add(List<Name> names, String component, String entry)
      throws MalformedImageException {
    switch (component) {
      case "", "." -> {
        // Leads nowhere.
      }
      case ".." -> {
        if (!names.isEmpty()) {
          names.removeLast();
        }
      }
      default -> {
        if (component.length() > Name.MAX_LENGTH) {
          throw malformed(
              entry, "a component of a name is longer than " + Name.MAX_LENGTH + " bytes");
        }
        names.add(Name.of(new ByteString(component).bytes()));
      }
    }
  }

  private static MalformedImageException malformed(String entry, String reason) {
    return new MalformedImageException("tar entry " + Quoted.of(entry), -1, reason);
  }
}
