package dev.pvcpopulators.diskimage.archive;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.Quoted;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/// The name of an entry as a list of components below the archive's root; the list is empty for the
/// root.
///
/// [#parse] and [#parseRooted] drop empty components and `.`. Both methods refuse `..`, NUL and
/// names beyond the limits of [ArchiveLimits]. [#parse] also refuses absolute names.
record EntryName(List<String> components) {
  private static final Pattern RESERVED = Pattern.compile("\\.(disk\\.img|archive)\\.populating-");

  EntryName {
    components = List.copyOf(components);
  }

  /// Parses a name as [#parse] does, but ignores each leading `/`.
  static EntryName parseRooted(String name) throws IOException {
    return parse(name.replaceFirst("^/+", ""));
  }

  static EntryName parse(String name) throws IOException {
    if (name.startsWith("/")) {
      throw refused(name, "it is absolute");
    }
    if (name.getBytes(UTF_8).length > ArchiveLimits.NAME_LENGTH) {
      throw refused(name, "it is longer than " + ArchiveLimits.NAME_LENGTH + " bytes");
    }
    if (name.indexOf('\0') >= 0) {
      throw refused(name, "it contains NUL");
    }
    List<String> components = new ArrayList<>();
    for (String component : name.split("/", -1)) {
      if (component.equals("..")) {
        throw refused(name, "it contains ..");
      }
      if (component.getBytes(UTF_8).length > ArchiveLimits.COMPONENT_LENGTH) {
        throw refused(
            name, "a component is longer than " + ArchiveLimits.COMPONENT_LENGTH + " bytes");
      }
      if (!component.isEmpty() && !component.equals(".")) {
        components.add(component);
      }
    }
    if (components.size() > ArchiveLimits.DEPTH) {
      throw refused(name, "it is deeper than " + ArchiveLimits.DEPTH + " directories");
    }
    return new EntryName(components);
  }

  /// Returns whether the first component has a reserved prefix. The next start of the service or
  /// Job could remove a top-level entry with this prefix as a leftover of a crash.
  boolean reserved() {
    return !root() && RESERVED.matcher(components.getFirst()).lookingAt();
  }

  boolean root() {
    return components.isEmpty();
  }

  /// Returns the path of this name below a directory.
  Path below(Path directory) throws UnsupportedFeatureException {
    try {
      Path path = directory;
      for (String component : components) {
        path = path.resolve(component);
      }
      return path;
    } catch (InvalidPathException e) {
      throw new UnsupportedFeatureException(
          "tar entry %s: this process's locale cannot write the name; start it with LC_ALL=C.UTF-8"
              .formatted(Quoted.of(String.join("/", components))),
          e);
    }
  }

  private static MalformedImageException refused(String name, String reason) {
    return new MalformedImageException("tar entry " + Quoted.of(name), -1, reason);
  }
}
