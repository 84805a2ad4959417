package dev.pvcpopulators.registry.disk;

import java.util.ArrayList;
import java.util.List;

/// The path of the disk in an image: an absolute path whose last component may be a pattern.
///
/// - `/disk/*`, the default, is KubeVirt's containerDisk: in the disk's layer, the directory must
///   have exactly one entry, and this entry must be a file or a link to a file.
/// - `/images/fedora.qcow2`: the file with this path; other entries do not matter.
/// - `/images/*.qcow2`, a pattern with `*`, `?` or `[…]`: in the disk's layer, exactly one file or
///   link must match. Directories, and entries that do not match, are ignored.
///
/// @param pattern the path: absolute, without the components `.` and `..`, and with exactly one `/`
///   between components
public record DiskPath(String pattern) {
  private static final String CONTAINER_DISK = "/disk/*";

  /// The path of KubeVirt's containerDisk.
  public static final DiskPath DEFAULT = new DiskPath(CONTAINER_DISK);

  /// Creates a path. Several consecutive `/` in the text are replaced by one.
  ///
  /// @throws IllegalArgumentException if the path is not valid; the message states what is expected
  public DiskPath {
    List<String> components = components(pattern);
    String last = components.removeLast();
    if (components.stream().anyMatch(NamePattern::hasWildcards)) {
      throw new IllegalArgumentException("Expected *, ? and [ only after the path's last /");
    }
    NamePattern.parse(last);
    pattern = "/" + String.join("/", components) + (components.isEmpty() ? "" : "/") + last;
  }

  /// Parses a setting; equivalent to the constructor.
  ///
  /// @throws IllegalArgumentException if the path is not valid; the message states what is expected
  public static DiskPath parse(String text) {
    return new DiskPath(text);
  }

  /// Returns whether this is the default path, to which the rule of KubeVirt's containerDisk
  /// applies.
  boolean containerDisk() {
    return pattern.equals(CONTAINER_DISK);
  }

  /// Returns the components of the disk's directory.
  List<String> directory() {
    List<String> components = components(pattern);
    components.removeLast();
    return components;
  }

  /// Returns the last component of the path: the disk's name, or the pattern of the disk's name.
  NamePattern name() {
    return NamePattern.parse(components(pattern).removeLast());
  }

  private static List<String> components(String pattern) {
    if (!pattern.startsWith("/") || pattern.length() > SearchLimits.PATH_LENGTH) {
      throw new IllegalArgumentException(
          "Expected an absolute path such as /disk/* or /images/disk.qcow2, of at most "
              + SearchLimits.PATH_LENGTH
              + " characters");
    }
    if (pattern.endsWith("/")) {
      throw new IllegalArgumentException(
          "Expected the path of a file, found that of a directory; DIRECTORY/* names its only"
              + " file");
    }
    List<String> components = new ArrayList<>();
    for (String component : pattern.split("/", -1)) {
      if (component.equals(".") || component.equals("..")) {
        throw new IllegalArgumentException("Expected a path without . and .. components");
      }
      if (component.length() > SearchLimits.COMPONENT_LENGTH
          || component.chars().anyMatch(Character::isISOControl)) {
        throw new IllegalArgumentException(
            "Expected components of at most "
                + SearchLimits.COMPONENT_LENGTH
                + " characters, none of them a control character");
      }
      if (!component.isEmpty()) {
        components.add(component);
      }
    }
    if (components.size() > SearchLimits.DEPTH) {
      throw new IllegalArgumentException(
          "Expected a path of at most " + SearchLimits.DEPTH + " components");
    }
    return components;
  }

  @Override
  public String toString() {
    return pattern;
  }
}
