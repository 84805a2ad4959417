package dev.pvcpopulators.registry.disk;

import dev.pvcpopulators.diskimage.Quoted;
import dev.pvcpopulators.diskimage.archive.TarEntry;
import java.util.ArrayList;
import java.util.List;

/// The first [SearchLimits#SHOWN_NAMES] names that were added, as text for a message.
final class Names {
  private final List<String> shown = new ArrayList<>();
  private boolean more;

  void add(String what) {
    if (shown.contains(what)) {
      return;
    }
    if (shown.size() < SearchLimits.SHOWN_NAMES) {
      shown.add(what);
    } else {
      more = true;
    }
  }

  boolean isEmpty() {
    return shown.isEmpty();
  }

  @Override
  public String toString() {
    return String.join(", ", shown) + (more ? " and more" : "");
  }

  /// Returns a path in quotes, escaped for a message.
  static String path(List<String> components) {
    return Quoted.of("/" + String.join("/", components));
  }

  static String words(TarEntry.Kind kind) {
    return switch (kind) {
      case FILE -> "a file";
      case DIRECTORY -> "a directory";
      case SYMBOLIC_LINK -> "a symbolic link";
      case HARD_LINK -> "a hard link";
      case SPECIAL -> "a device or another special file";
    };
  }
}
