package dev.pvcpopulators.it.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.it.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// Checks the rules for packages and class names. With these rules, a newcomer finds a class by its
/// name.
final class PackagesTest {
  private static final int MOST_FILES = 25;

  /// The names of folders that build tools create and delete.
  private static final Set<String> BUILD_FOLDERS = Set.of("target", "build", "out", "bin", "dist");

  /// The title of the table of exceptions in CONTRIBUTING.md.
  private static final String TITLE = "## Exceptions to the rules for packages";

  private static final Pattern ROW = Pattern.compile("(?m)^\\| `([^`]+)` \\| (\\S.*) \\|$");
  private static final Pattern PACKAGE = Pattern.compile("(?m)^package ([\\w.]+);");

  /// Directories with Java sources, relative to the project, and the names of the files in them.
  private static final Map<String, List<String>> PACKAGES = new TreeMap<>();

  @BeforeAll
  static void findSources() {
    for (Path file : Checkout.files()) {
      if (file.toString().endsWith(".java")) {
        PACKAGES
            .computeIfAbsent(
                Checkout.name(Objects.requireNonNull(file.getParent())), _ -> new ArrayList<>())
            .add(file.getFileName().toString());
      }
    }
    assertTrue(PACKAGES.size() > 50, () -> "found only " + PACKAGES.keySet());
  }

  @Test
  void packagesHaveAtMost25FilesUnlessContributingGivesAReason() throws IOException {
    Set<String> large =
        PACKAGES.entrySet().stream()
            .filter(entry -> entry.getValue().size() > MOST_FILES)
            .map(Map.Entry::getKey)
            .collect(Collectors.toCollection(TreeSet::new));
    large.removeAll(exceptions());
    assertEquals(Set.of(), large);
  }

  private static Set<String> exceptions() throws IOException {
    String text = Files.readString(Command.root().resolve("CONTRIBUTING.md"));
    int start = text.indexOf(TITLE);
    if (start < 0) {
      return Set.of();
    }
    int end = text.indexOf("\n#", start + 1);
    return ROW.matcher(text.substring(start, end < 0 ? text.length() : end))
        .results()
        .map(row -> row.group(1))
        .collect(Collectors.toSet());
  }

  @Test
  void aModuleHasEachSimpleClassNameOnce() throws IOException {
    Set<String> exceptions = exceptions();
    Set<String> seen = new HashSet<>();
    List<String> twice =
        PACKAGES.entrySet().stream()
            .filter(entry -> entry.getKey().contains("/src/main/java/"))
            .flatMap(entry ->
                entry.getValue().stream()
                    .filter(file -> !file.equals("package-info.java"))
                    .map(file -> entry.getKey().split("/src/main/java/", 2)[0] + ": " + file))
            .filter(name -> !seen.add(name) && !exceptions.contains(name))
            .toList();
    assertEquals(List.of(), twice);
  }

  /// Clean-up scripts and ignore rules for build folders would also match a package with the name
  /// of a build folder.
  @Test
  void noPackageIsNamedLikeABuildFolder() throws IOException {
    List<String> found = new ArrayList<>();
    for (Map.Entry<String, List<String>> entry : PACKAGES.entrySet()) {
      Path first = Command.root().resolve(entry.getKey()).resolve(entry.getValue().getFirst());
      PACKAGE
          .matcher(Files.readString(first))
          .results()
          .map(MatchResult::group)
          .forEach(name -> {
            for (String part : name.replaceAll("package |;", "").split("\\.", -1)) {
              if (BUILD_FOLDERS.contains(part)) {
                found.add(entry.getKey());
              }
            }
          });
    }
    assertEquals(List.of(), found);
  }
}
