package dev.pvcpopulators.imagetoqcow2layers.layer;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.Quoted;
import dev.pvcpopulators.diskimage.archive.ByteString;
import dev.pvcpopulators.ext4.EntryPath;
import dev.pvcpopulators.ext4.structure.Name;
import java.util.ArrayList;
import java.util.List;

/// Resolves a name in an archive to a path that cannot leave the root. Ignores a leading `/`, empty
/// components, and components `.`; a component `..` removes the previous name, if there is one.
final class ConfinedPath {
  /// The maximum number of bytes of a name: the value of `PATH_MAX` in Linux.
  private static final int MAX_LENGTH = 4096;

  private ConfinedPath() {}

  /// Returns the path of a name; the root if no component remains.
  ///
  /// @param entry the name of the tar entry that contains `name`, for messages
  /// @throws MalformedImageException if the name or a component of it is too long, or if the name
  ///   contains a NUL
  static EntryPath of(ByteString name, String entry) throws MalformedImageException {
    String text = name.latin1();
    if (text.length() > MAX_LENGTH) {
      throw malformed(entry, "a name is longer than " + MAX_LENGTH + " bytes");
    }
    if (text.indexOf('\0') >= 0) {
      throw malformed(entry, "a name contains NUL");
    }
    List<Name> names = new ArrayList<>();
    for (String component : text.split("/", -1)) {
      add(names, component, entry);
    }
    return new EntryPath(names);
  }

  private static void add(List<Name> names, String component, String entry)
      throws MalformedImageException {
    switch (component) {
      case "", "." -> {
        // An empty component and the component `.` are ignored.
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
