package dev.pvcpopulators.registry.disk;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.diskimage.archive.TarEntry;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// The goal: the path that the search looks for. The first goal is the requested path. Each
/// followed link gives a new goal.
///
/// @param directory the components of the path of the goal's directory
record SearchTarget(List<String> directory, NamePattern name, Rule rule) {
  /// The rule that says which other entries the directory may contain.
  enum Rule {
    /// The directory must not contain other entries in the disk's layer, as in KubeVirt's
    /// containerDisk.
    ONLY_ENTRY,
    /// The directory must not contain another entry that matches, except directories. It may
    /// contain entries that do not match.
    ONLY_MATCH,
    /// The directory may contain entries with other names.
    EXACT
  }

  SearchTarget {
    directory = List.copyOf(directory);
  }

  static SearchTarget of(DiskPath path) {
    NamePattern name = path.name();
    Rule rule = name.glob() ? Rule.ONLY_MATCH : Rule.EXACT;
    return new SearchTarget(path.directory(), name, path.containerDisk() ? Rule.ONLY_ENTRY : rule);
  }

  /// Returns the goal that replaces this goal if the matching entry is a link.
  ///
  /// @param link a symbolic or hard link in the goal's directory
  SearchTarget behind(TarEntry link) throws IOException {
    List<String> path = target(link);
    if (path.isEmpty()) {
      throw new UnsupportedFeatureException(
          "No disk: " + Names.path(link.name()) + " is a link to the root directory");
    }
    NamePattern last = NamePattern.exactly(path.removeLast());
    return new SearchTarget(path, last, Rule.EXACT);
  }

  /// Returns the goal that replaces this goal if the goal's directory, or an ancestor of the
  /// directory, is a link.
  ///
  /// @param link the symbolic or hard link at the path of that directory or ancestor
  SearchTarget through(TarEntry link) throws IOException {
    List<String> path = target(link);
    path.addAll(directory.subList(link.name().size(), directory.size()));
    requireDepth(link, path.size() + 1);
    return new SearchTarget(path, name, rule);
  }

  /// Returns the path that a link names inside the image. Does not resolve further links in that
  /// path. In the root directory, `..` means the root directory.
  private static List<String> target(TarEntry link) throws IOException {
    if (link.kind() == TarEntry.Kind.HARD_LINK) {
      return new ArrayList<>(link.hardLinkTarget());
    }
    String text = link.linkText();
    if (text.isEmpty() || text.length() > SearchLimits.LINK_LENGTH) {
      throw malformed(
          link, "expected a target of 1 to " + SearchLimits.LINK_LENGTH + " characters");
    }
    List<String> path = new ArrayList<>();
    if (!text.startsWith("/")) {
      path.addAll(link.name().subList(0, link.name().size() - 1));
    }
    for (String component : text.split("/", -1)) {
      if (component.equals("..")) {
        if (!path.isEmpty()) {
          path.removeLast();
        }
      } else if (!component.isEmpty() && !component.equals(".")) {
        path.add(component);
      }
    }
    requireDepth(link, path.size());
    return path;
  }

  private static void requireDepth(TarEntry link, int components) throws IOException {
    if (components > SearchLimits.DEPTH) {
      throw malformed(link, "its target is deeper than " + SearchLimits.DEPTH + " components");
    }
  }

  private static MalformedImageException malformed(TarEntry link, String reason) {
    return new MalformedImageException("link " + Names.path(link.name()), -1, reason);
  }

  /// Returns the path for messages.
  @Override
  public String toString() {
    List<String> path = new ArrayList<>(directory);
    path.add(name.text());
    return Names.path(path);
  }
}
