package dev.pvcpopulators.it.layers;

import dev.pvcpopulators.it.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/// The output of `images/list-tree.sh` for a directory tree: names, types, modes, owners, times,
/// links, extended attributes, device numbers and contents.
///
/// @param lines the lines by file name; for an extended attribute, the key is the file name, a tab
///   and the attribute name
record TreeList(TreeMap<String, String> lines) {
  private static final int SHOWN = 40;

  static TreeList of(Path directory) throws IOException {
    String script = Command.root().resolve("it/images/list-tree.sh").toString();
    return parse(Command.tried(List.of(script, directory.toString())).ok().out());
  }

  /// Mounts the file system of a disk read-only, without a replay of its journal, and lists its
  /// files.
  ///
  /// @param work the directory of the mount point
  static TreeList ofDisk(Path raw, Path work) throws IOException {
    Path mountPoint = Files.createTempDirectory(work, "mount");
    Command.run(
        "flock",
        "/dev/loop-control",
        "mount",
        "-o",
        "loop,ro,noload",
        raw.toString(),
        mountPoint.toString());
    try {
      return of(mountPoint);
    } finally {
      Command.run("umount", mountPoint.toString());
    }
  }

  static TreeList read(Path file) throws IOException {
    return parse(Files.readString(file));
  }

  private static TreeList parse(String text) {
    TreeMap<String, String> lines = new TreeMap<>();
    for (String line : text.split("\n", -1)) {
      if (line.isEmpty()) {
        continue;
      }
      String[] fields = line.split("\t", -1);
      boolean attribute = fields.length == 3 && fields[1].equals("xattr");
      String key = attribute ? fields[0] + "\t" + fields[2].split("=", 2)[0] : fields[0];
      lines.put(key, line);
    }
    return new TreeList(lines);
  }

  /// Fails the test if the trees differ. Ignores the time of the root, because most images have no
  /// entry for `/`.
  void assertEquals(TreeList found) {
    assertEquals(found, List.of());
  }

  /// Fails the test if the trees differ. Ignores the times of the root and of the directories in
  /// `timeless`.
  ///
  /// @param timeless the directories that have no tar entry; umoci sets their times to the time of
  ///   unpacking
  void assertEquals(TreeList found, List<String> timeless) {
    List<String> differences = new ArrayList<>();
    for (var entry : lines.entrySet()) {
      String other = found.lines.get(entry.getKey());
      if (other == null || !same(entry.getKey(), entry.getValue(), other, timeless)) {
        differences.add("- " + entry.getValue());
        if (other != null) {
          differences.add("+ " + other);
        }
      }
    }
    for (var entry : found.lines.entrySet()) {
      if (!lines.containsKey(entry.getKey())) {
        differences.add("+ " + entry.getValue());
      }
    }
    if (!differences.isEmpty()) {
      throw new AssertionError(
          differences.size()
              + " lines of "
              + lines.size()
              + " differ (-expected, +found):\n"
              + String.join("\n", differences.subList(0, Math.min(SHOWN, differences.size()))));
    }
  }

  private static boolean same(String name, String expected, String found, List<String> timeless) {
    return (name.equals(".") || timeless.contains(name))
        ? withoutTime(expected).equals(withoutTime(found))
        : expected.equals(found);
  }

  private static String withoutTime(String line) {
    return line.replaceFirst("\t-?[0-9]+\\.[0-9]+\t", "\t\t");
  }
}
