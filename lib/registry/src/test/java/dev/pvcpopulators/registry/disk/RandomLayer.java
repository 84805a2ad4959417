package dev.pvcpopulators.registry.disk;

import dev.pvcpopulators.it.TarWriter;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/// A random layer that a comparison of two directory trees can produce. Each path occurs at most
/// once, and no path occurs together with its whiteout.
final class RandomLayer {
  private static final List<String> DIRECTORIES = List.of("d", "d/e", "v");
  private static final List<String> NAMES = List.of("a", "e", "f");
  static final List<String> ALL_PATHS =
      List.of("/a", "/e", "/d", "/d/a", "/d/e", "/d/f", "/d/e/a", "/d/e/f", "/v/a", "/v/e/a");

  private final Map<String, String> entries = new TreeMap<>();
  private final Map<String, String> links = new HashMap<>();

  RandomLayer(Random random, String content) {
    for (int i = random.nextInt(8) + 2; i > 0; i--) {
      String directory = random.nextInt(5) == 0 ? "" : pick(random, DIRECTORIES);
      String name = pick(random, NAMES);
      String path = directory.isEmpty() ? name : directory + "/" + name;
      if (!free(path)) {
        continue;
      }
      switch (random.nextInt(9)) {
        case 0 -> put(directory, (directory.isEmpty() ? "" : directory + "/") + ".wh." + name, "");
        case 1 -> put(directory, directory.isEmpty() ? "x" : directory + "/.wh..wh..opq", "");
        case 2, 7 -> {
          links.put(path, pick(random, List.of("/d/a", "/v", "/d/e", "f", "e/a", "/a")));
          put(directory, path, "symbolic");
        }
        case 3, 8 -> {
          put("", "h" + content + i, content);
          links.put(path, "h" + content + i);
          put(directory, path, "hard");
        }
        case 4 -> put(path, path, "directory");
        default -> put(directory, path, content + path);
      }
    }
  }

  private static String pick(Random random, List<String> from) {
    return from.get(random.nextInt(from.size()));
  }

  /// Returns true if a path is free. A path is not free if the layer already contains the path, if
  /// a whiteout covers the path, or if one of its parents is not a directory.
  private boolean free(String path) {
    String at = path;
    while (true) {
      int slash = at.lastIndexOf('/');
      String whiteout = at.substring(0, slash + 1) + ".wh." + at.substring(slash + 1);
      String there = entries.getOrDefault(at, "directory");
      if (entries.containsKey(whiteout)
          || !there.equals("directory")
          || (at.equals(path) && entries.containsKey(path))) {
        return false;
      }
      if (slash < 0) {
        return true;
      }
      at = at.substring(0, slash);
    }
  }

  private void put(String directory, String path, String what) {
    for (int slash = directory.length(); slash > 0; slash = directory.lastIndexOf('/', slash - 1)) {
      entries.put(directory.substring(0, slash), "directory");
    }
    entries.putIfAbsent(path, what);
  }

  byte[] tar() {
    TarWriter tar = new TarWriter();
    entries.forEach((path, what) -> {
      if (!what.equals("hard")) {
        switch (what) {
          case "directory" -> tar.directory(path + "/");
          case "symbolic" -> tar.symbolicLink(path, links.getOrDefault(path, ""));
          default -> tar.file(path, what);
        }
      }
    });
    entries.forEach((path, what) -> {
      if (what.equals("hard")) {
        tar.hardLink(path, links.getOrDefault(path, ""));
      }
    });
    return tar.bytes();
  }

  @Override
  public String toString() {
    return entries + " " + links;
  }
}
