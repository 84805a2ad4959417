package dev.pvcpopulators.registry.disk;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.diskimage.archive.TarEntry;
import dev.pvcpopulators.diskimage.archive.TarEntry.Kind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Evaluates the entries of one layer, in any order, without access to a stream.
///
/// The goal is the path that the search looks for, and `D` is the goal's directory. These entries
/// have a meaning:
///
/// | Entry                                          | Meaning                                    |
/// |------------------------------------------------|--------------------------------------------|
/// | `D/NAME`                                       | a match, if the goal's name matches        |
/// | `D/NAME/…`                                     | `D/NAME` is a directory                    |
/// | `D/.wh.NAME`                                   | `D/NAME` is deleted in the layers below    |
/// | `.wh..wh..opq` in `D` or an ancestor           | nothing of `D` in the layers below remains |
/// | `.wh.` and an ancestor's or D's name           | nothing of `D` in the layers below remains |
/// | `D` or an ancestor is a link                   | the link gives a new goal                  |
/// | `D` or an ancestor is a file or a special file | nothing of `D` in the layers below remains |
/// | other `.wh..wh.…`                              | nothing (AUFS uses such names internally)  |
///
/// Let P be the path of `D` or of an ancestor. If the layer has a directory at P or an entry below
/// P, the layer hides a file, a link or a special file at P in the layers below. Whiteouts do not
/// affect their own layer (OCI image-spec 1.1, layer.md, "Whiteouts").
final class LayerScan {
  private static final String WHITEOUT = ".wh.";
  private static final String OPAQUE = ".wh..wh..opq";
  private static final String RESERVED = ".wh..wh.";

  private final SearchTarget goal;
  private final UpperLayers above;
  private final int layer;
  private final Names seen;
  private final Map<String, TarEntry> matches = new LinkedHashMap<>();
  private final Set<String> deleted = new HashSet<>();
  private @Nullable TarEntry disk;
  private @Nullable TarEntry inTheWay;
  private int directories;
  private boolean hidesAll;

  /// Creates a scan.
  ///
  /// @param layer the layer's number for messages; the lowest layer has the number 1
  /// @param seen receives the names of the entries in the goal's directory, and of the entries that
  ///   replace or hide that directory, for messages
  LayerScan(SearchTarget goal, UpperLayers above, int layer, Names seen) {
    this.goal = goal;
    this.above = above;
    this.layer = layer;
    this.seen = seen;
  }

  /// Evaluates the next entry.
  ///
  /// @return true if this entry is the disk; a later entry of the layer can still contradict this.
  ///   The method returns true at most once
  boolean accept(TarEntry entry) throws IOException {
    List<String> name = entry.name();
    int depth = goal.directory().size();
    int common = commonComponents(name);
    int directoriesOfEntry = entry.kind() == Kind.DIRECTORY ? name.size() : name.size() - 1;
    directories = Math.max(directories, Math.min(common, directoriesOfEntry));
    if (name.size() == common + 1 && name.getLast().equals(OPAQUE)) {
      hidesAll = true;
      seen.add(Names.path(name.subList(0, common)) + " emptied by layer " + layer);
    } else if (common < depth) {
      acceptAncestor(entry, common);
    } else if (name.size() == depth) {
      acceptObstacle(entry);
    } else if (name.size() > depth + 1) {
      acceptSubdirectory(name.subList(0, depth + 1));
    } else if (name.getLast().startsWith(WHITEOUT)) {
      acceptWhiteout(name);
    } else {
      return acceptChild(entry);
    }
    return false;
  }

  private int commonComponents(List<String> name) {
    List<String> directory = goal.directory();
    int most = Math.min(name.size(), directory.size());
    int common = 0;
    while (common < most && name.get(common).equals(directory.get(common))) {
      common++;
    }
    return common;
  }

  private void acceptAncestor(TarEntry entry, int common) throws IOException {
    List<String> name = entry.name();
    if (name.size() == common) {
      acceptObstacle(entry);
    } else if (name.size() == common + 1
        && name.getLast().equals(WHITEOUT + goal.directory().get(common))) {
      hidesAll = true;
      seen.add(Names.path(goal.directory().subList(0, common + 1)) + deletedByLayer());
    }
  }

  private void acceptObstacle(TarEntry entry) throws IOException {
    if (entry.kind() == Kind.DIRECTORY || entry.name().isEmpty()) {
      return;
    }
    if (inTheWay != null && inTheWay.name().equals(entry.name())) {
      throw twice(entry.name());
    }
    // An obstacle is an entry that is in the place of D or of an ancestor of D, but is not a
    // directory. If there are several obstacles, the obstacle nearest to the root is kept. The
    // other obstacles are entries below the kept obstacle, so requireOnlyDisk() refuses the layer.
    if (inTheWay == null || inTheWay.name().size() > entry.name().size()) {
      inTheWay = entry;
    }
    seen.add(Names.path(entry.name()) + ", " + Names.words(entry.kind()) + inLayer());
  }

  private void acceptWhiteout(List<String> path) throws IOException {
    String name = path.getLast().substring(WHITEOUT.length());
    if (path.getLast().startsWith(RESERVED)) {
      return;
    }
    if (name.isEmpty() || name.equals(".") || name.equals("..")) {
      throw new MalformedImageException(
          "whiteout " + Names.path(path), -1, "expected the name that it deletes");
    }
    if (goal.name().matches(name)) {
      deleted.add(name);
      requireFew(deleted.size());
      seen.add(child(name) + deletedByLayer());
    }
  }

  private boolean acceptChild(TarEntry entry) throws IOException {
    String name = entry.name().getLast();
    String described = child(name) + ", " + Names.words(entry.kind()) + inLayer();
    if (!goal.name().matches(name)) {
      seen.add(described);
      return false;
    }
    @Nullable Integer hiding = above.hidden().get(name);
    if (hiding != null) {
      seen.add(described + ", hidden by layer " + hiding);
      return false;
    }
    seen.add(described);
    @Nullable TarEntry before = matches.put(name, entry);
    if (before != null && !(before.kind() == Kind.DIRECTORY && entry.kind() == Kind.DIRECTORY)) {
      throw twice(entry.name());
    }
    requireFew(matches.size());
    if (entry.kind() == Kind.FILE && disk == null && inTheWay == null && candidates().size() == 1) {
      disk = entry;
      return true;
    }
    return false;
  }

  private void acceptSubdirectory(List<String> path) throws IOException {
    String name = path.getLast();
    @Nullable TarEntry before = matches.get(name);
    if (before == null) {
      // Stores only the name of the directory: there may be a million names below the directory.
      acceptChild(new TarEntry(path, Kind.DIRECTORY, "", 0));
    } else if (before.kind() != Kind.DIRECTORY) {
      throw twice(path);
    }
  }

  private List<TarEntry> candidates() {
    return matches.values().stream()
        .filter(
            entry -> goal.rule() != SearchTarget.Rule.ONLY_MATCH || entry.kind() != Kind.DIRECTORY)
        .toList();
  }

  /// Checks a layer after its last entry.
  ///
  /// @throws UnsupportedFeatureException if several entries can be the disk; with
  ///   [SearchTarget.Rule#ONLY_MATCH], directories are ignored
  /// @throws MalformedImageException if the goal's directory or an ancestor is not a directory in
  ///   this layer, but has entries below it
  void requireOnlyDisk() throws IOException {
    @Nullable TarEntry obstacle = inTheWay;
    if (obstacle != null && directories >= obstacle.name().size()) {
      throw new MalformedImageException(
          "layer " + layer,
          -1,
          Names.path(obstacle.name())
              + " is "
              + Names.words(obstacle.kind())
              + " and has files in it");
    }
    List<TarEntry> candidates = candidates();
    if (candidates.size() > 1) {
      Names names = new Names();
      candidates.forEach(
          entry -> names.add(child(entry.name().getLast()) + ", " + Names.words(entry.kind())));
      throw new UnsupportedFeatureException(
          "Expected exactly one file at " + goal + ", layer " + layer + " has " + names);
    }
  }

  /// Returns the search result for a layer without a disk. Must be called after the layer's last
  /// entry.
  ///
  /// @throws UnsupportedFeatureException if several entries can be the disk; if the only match is a
  ///   directory or a special file; if the only match is a link to the root directory; or if the
  ///   hidden names exceed the limit
  /// @throws MalformedImageException if [#requireOnlyDisk] throws this exception, or if the target
  ///   of a link is not valid
  LayerSearchResult verdict() throws IOException {
    requireOnlyDisk();
    if (inTheWay != null) {
      return behind(inTheWay);
    }
    List<TarEntry> candidates = candidates();
    if (!candidates.isEmpty()) {
      return verdict(candidates.getFirst());
    }
    if (hidesAll) {
      return new LayerSearchResult.Nothing();
    }
    Set<String> hides = new HashSet<>(deleted);
    hides.addAll(matches.keySet());
    return new LayerSearchResult.Below(above.and(layer, hides, directories));
  }

  private LayerSearchResult verdict(TarEntry match) throws IOException {
    return switch (match.kind()) {
      case SYMBOLIC_LINK -> new LayerSearchResult.Follow(goal.behind(match), false);
      case HARD_LINK -> new LayerSearchResult.Follow(goal.behind(match), true);
      case DIRECTORY, SPECIAL ->
          throw new UnsupportedFeatureException(
              "Expected a file at "
                  + goal
                  + ", found "
                  + child(match.name().getLast())
                  + ", "
                  + Names.words(match.kind())
                  + inLayer());
      case FILE -> throw new IllegalStateException("The disk was found: " + match);
    };
  }

  private LayerSearchResult behind(TarEntry obstacle) throws IOException {
    if (above.directories() >= obstacle.name().size()) {
      return new LayerSearchResult.Nothing();
    }
    return switch (obstacle.kind()) {
      case SYMBOLIC_LINK -> new LayerSearchResult.Follow(goal.through(obstacle), false);
      case HARD_LINK -> new LayerSearchResult.Follow(goal.through(obstacle), true);
      case FILE, DIRECTORY, SPECIAL -> new LayerSearchResult.Nothing();
    };
  }

  private void requireFew(int names) throws UnsupportedFeatureException {
    if (names > SearchLimits.NAMES) {
      throw new UnsupportedFeatureException(
          "Expected exactly one file at %s, layer %s has more than %s names there"
              .formatted(goal, layer, SearchLimits.NAMES));
    }
  }

  private MalformedImageException twice(List<String> name) {
    return new MalformedImageException(
        "layer " + layer, -1, Names.path(name) + " is in it more than once");
  }

  private String child(String name) {
    List<String> path = new ArrayList<>(goal.directory());
    path.add(name);
    return Names.path(path);
  }

  private String inLayer() {
    return " in layer " + layer;
  }

  private String deletedByLayer() {
    return " deleted by layer " + layer;
  }
}
