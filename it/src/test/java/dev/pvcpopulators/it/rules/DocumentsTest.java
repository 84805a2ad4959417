package dev.pvcpopulators.it.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.it.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// Checks the references in documents: each named file, package and test must exist.
final class DocumentsTest {
  private static final int HEAD_ROWS = 2;

  /// `ClassTest.method` in backticks.
  private static final Pattern TEST = Pattern.compile("`(\\w+Test)\\.(\\w+)`");

  /// The sentence before a table of a module's packages.
  private static final Pattern PACKAGES = Pattern.compile("Packages of `([^`]+)/`");

  private static final Pattern NAME = Pattern.compile("`([\\w.]+)`");

  private static final Pattern ANNOTATION = Pattern.compile("@\\w*Test(?:Factory)?\\b");

  @Test
  void everyLinkLeadsToAFile() throws IOException {
    List<String> broken = new ArrayList<>();
    List<Document> pages = Document.all();
    for (Document page : pages) {
      page.links().stream()
          .filter(target -> !Files.exists(target))
          .forEach(target -> broken.add(page.path() + " -> " + target));
    }
    assertTrue(pages.size() > 1, "no pages");
    assertEquals(List.of(), broken);
  }

  @Test
  void theTablesOfPackagesNameAllOfThem() throws IOException {
    String text = Files.readString(Command.root().resolve("ARCHITECTURE.md"));
    Matcher heading = PACKAGES.matcher(text);
    int tables = 0;
    while (heading.find()) {
      Set<String> named = new TreeSet<>();
      text.substring(heading.end())
          .lines()
          .dropWhile(line -> !line.startsWith("|"))
          .takeWhile(line -> line.startsWith("|"))
          .map(line -> line.split("\\|", -1)[1])
          .flatMap(cell -> NAME.matcher(cell).results())
          .forEach(name -> named.add(name.group(1)));
      assertEquals(packages(heading.group(1)), named, heading.group());
      tables++;
    }
    assertTrue(tables > 1, "ARCHITECTURE.md has no tables of packages");
  }

  /// Returns the names of a module's packages below its root package.
  private static Set<String> packages(String module) throws IOException {
    Path sources = Command.root().resolve(module).resolve("src/main/java/dev/pvcpopulators");
    try (Stream<Path> files = Files.walk(sources)) {
      return files
          .map(sources::relativize)
          .filter(file -> file.endsWith("package-info.java") && file.getNameCount() > 2)
          .map(file -> file.subpath(1, file.getNameCount() - 1).toString().replace('/', '.'))
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }

  /// A threat without a test belongs in the section "Not covered" of docs/security.md.
  @Test
  void everyThreatIsCoveredByTestsThatExist() throws IOException {
    Map<String, String> sources = tests();
    Document page = Document.read(Command.root().resolve("docs/security.md"));
    List<List<String>> threats = page.table("threats");
    assertTrue(threats.size() > HEAD_ROWS, "no threats");
    List<String> missing = new ArrayList<>();
    for (List<String> row : threats.subList(HEAD_ROWS, threats.size())) {
      List<MatchResult> tests = TEST.matcher(row.getLast()).results().toList();
      if (tests.isEmpty()) {
        missing.add("a test for: " + row);
      }
      for (MatchResult test : tests) {
        if (!isTest(sources.getOrDefault(test.group(1), ""), test.group(2))) {
          missing.add(test.group());
        }
      }
    }
    assertEquals(List.of(), missing);
  }

  /// Returns whether a source has a method of this name with an annotation such as `@Test`.
  private static boolean isTest(String source, String method) {
    Matcher declared = Pattern.compile(" (?:void|Stream<\\w+>) " + method + "\\(").matcher(source);
    if (!declared.find()) {
      return false;
    }
    int at = declared.start();
    // The annotation is after the end of the previous method.
    int before = Math.max(source.lastIndexOf("\n  }\n", at), 0);
    return ANNOTATION.matcher(source.substring(before, at)).find();
  }

  /// Returns the sources of all tests by simple class name. Concatenates the sources of classes
  /// with the same name.
  private static Map<String, String> tests() throws IOException {
    Map<String, String> sources = new HashMap<>();
    for (Path file : Checkout.files()) {
      if (holdsTests(file)) {
        String name = String.valueOf(file.getFileName());
        sources.merge(
            name.substring(0, name.length() - ".java".length()),
            Files.readString(file),
            String::concat);
      }
    }
    return sources;
  }

  private static boolean holdsTests(Path file) {
    return file.toString().contains("/src/test/java/") && file.toString().endsWith("Test.java");
  }
}
