package dev.pvcpopulators.ext4;

import dev.pvcpopulators.ext4.structure.FileType;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// A model of a file tree. The model applies layers as the OCI image specification demands. Tests
/// compare the library with this model.
final class ModelTree {
  private static final int MOST_LINKS = 40;

  final Node root = new Node(FileType.DIRECTORY, 0755, "");

  static final class Node {
    final FileType type;
    int permissions;
    final String content;
    final Map<String, Entry> entries = new TreeMap<>();

    Node(FileType type, int permissions, String content) {
      this.type = type;
      this.permissions = permissions;
      this.content = content;
    }
  }

  static final class Entry {
    final Node node;
    boolean brought = true;

    Entry(Node node) {
      this.node = node;
    }
  }

  /// The action of a walk at a missing directory.
  private enum Missing {
    REFUSED,
    MADE,
    IMAGINED
  }

  /// Returns the directory at a path; empty if a part of the path is not a directory.
  ///
  /// @param make whether to create missing directories; if false, the result is empty if a
  ///   directory is missing
  Optional<Node> directory(List<String> names, boolean make) {
    return walk(names, make ? Missing.MADE : Missing.REFUSED);
  }

  /// Returns true if a layer can add entries under a path. Missing directories do not matter.
  boolean reachable(List<String> names) {
    return walk(names, Missing.IMAGINED).isPresent();
  }

  private Optional<Node> walk(List<String> names, Missing missing) {
    Deque<String> rest = new ArrayDeque<>(names);
    List<Node> way = new ArrayList<>(List.of(root));
    int links = 0;
    while (!rest.isEmpty()) {
      String name = rest.pop();
      if (name.equals("..") && way.size() > 1) {
        way.removeLast();
      }
      if (name.isEmpty() || name.equals(".") || name.equals("..")) {
        continue;
      }
      Entry entry = way.getLast().entries.get(name);
      if (entry == null) {
        if (missing == Missing.REFUSED) {
          return Optional.empty();
        }
        entry = new Entry(new Node(FileType.DIRECTORY, 0755, ""));
        if (missing == Missing.MADE) {
          way.getLast().entries.put(name, entry);
        }
      }
      if (entry.node.type == FileType.DIRECTORY) {
        way.add(entry.node);
      } else if (entry.node.type == FileType.SYMBOLIC_LINK && ++links <= MOST_LINKS) {
        String target = entry.node.content;
        for (String part : List.of(target.split("/", -1)).reversed()) {
          rest.push(part);
        }
        if (target.startsWith("/")) {
          way.subList(1, way.size()).clear();
        }
      } else {
        return Optional.empty();
      }
    }
    return Optional.of(way.getLast());
  }

  /// Begins a new layer: all existing entries now belong to lower layers.
  void begin() {
    forget(root);
  }

  private static void forget(Node directory) {
    for (Entry entry : directory.entries.values()) {
      entry.brought = false;
      forget(entry.node);
    }
  }

  /// Removes the entries of lower layers from a directory and its subdirectories. A subdirectory
  /// stays if an entry of the current layer is below this subdirectory.
  ///
  /// @return true if an entry remains
  static boolean hide(Node directory) {
    directory
        .entries
        .values()
        .removeIf(entry -> {
          boolean below = hide(entry.node);
          return !entry.brought && !below;
        });
    return !directory.entries.isEmpty();
  }

  /// Returns one line for each entry: path, type, permissions, link count, and target or content.
  List<String> describe() {
    Map<Node, Integer> names = new HashMap<>();
    count(root, names);
    List<String> lines = new ArrayList<>();
    describe("", root, names, lines);
    lines.sort(null);
    return lines;
  }

  private static void count(Node directory, Map<Node, Integer> names) {
    for (Entry entry : directory.entries.values()) {
      names.merge(entry.node, 1, Integer::sum);
      count(entry.node, names);
    }
  }

  private static void describe(
      String path, Node directory, Map<Node, Integer> names, List<String> lines) {
    directory.entries.forEach((name, entry) -> {
      Node node = entry.node;
      long subdirectories =
          node.entries.values().stream().filter(e -> e.node.type == FileType.DIRECTORY).count();
      boolean isDirectory = node.type == FileType.DIRECTORY;
      lines.add(
          "%s %s %o %d %s"
              .formatted(
                  path + name,
                  letter(node.type),
                  node.permissions,
                  isDirectory ? subdirectories + 2 : (long) names.getOrDefault(node, 0),
                  node.content));
      describe(path + name + "/", node, names, lines);
    });
  }

  private static String letter(FileType type) {
    return switch (type) {
      case FIFO -> "p";
      case CHARACTER_DEVICE -> "c";
      case DIRECTORY -> "d";
      case BLOCK_DEVICE -> "b";
      case REGULAR -> "f";
      case SYMBOLIC_LINK -> "l";
      case SOCKET -> "s";
    };
  }
}
