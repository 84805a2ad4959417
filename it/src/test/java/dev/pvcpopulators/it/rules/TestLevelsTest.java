package dev.pvcpopulators.it.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pvcpopulators.it.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// Checks the tags of tests. The tags assign each test to a level of CONTRIBUTING.md.
final class TestLevelsTest {
  private static final Set<String> TAGS = Set.of("tools", "nightly");
  private static final String NIGHTLY = "@Tag(\"nightly\")";
  private static final int HEAD_ROWS = 2;

  private static final Pattern TAG = Pattern.compile("@Tag\\((.*?)\\)");
  private static final Pattern TAG_OF_CLASS = Pattern.compile("(?m)^@Tag\\(");
  private static final Pattern NAMED_TEST = Pattern.compile("`(\\w+Test)\\.(\\w+)`");

  /// Matches the paths of tests that run packaged services with real programs.
  private static final Pattern BLACK_BOX =
      Pattern.compile("it/(src|browser|torture|operator)/.*(?<!/it/rules)/\\w+Test\\.java");

  @Test
  void thereAreTwoTags() throws IOException {
    List<String> unknown = new ArrayList<>();
    for (Path source : sources()) {
      TAG.matcher(Files.readString(source))
          .results()
          .map(tag -> tag.group(1).replace("\"", ""))
          .filter(tag -> !TAGS.contains(tag))
          .forEach(tag -> unknown.add(Checkout.name(source) + ": " + tag));
    }
    assertEquals(List.of(), unknown);
  }

  @Test
  void blackBoxTestsAreNotInTheFirstLevel() throws IOException {
    List<String> untagged = new ArrayList<>();
    for (Path source : sources()) {
      if (BLACK_BOX.matcher(Checkout.name(source)).matches()
          && !TAG_OF_CLASS.matcher(Files.readString(source)).find()) {
        untagged.add(Checkout.name(source));
      }
    }
    assertEquals(List.of(), untagged);
  }

  /// `make test` runs the tests of all threats in docs/security.md.
  @Test
  void testsOfThreatsAreNotNightly() throws IOException {
    List<String> nightly = new ArrayList<>();
    List<Path> sources = sources();
    Document page = Document.read(Command.root().resolve("docs/security.md"));
    List<List<String>> threats = page.table("threats");
    for (List<String> row : threats.subList(HEAD_ROWS, threats.size())) {
      for (MatchResult test : NAMED_TEST.matcher(row.getLast()).results().toList()) {
        for (Path source : sources) {
          if (source.endsWith(test.group(1) + ".java")
              && isNightly(Files.readString(source), test.group(2))) {
            nightly.add(test.group());
          }
        }
      }
    }
    assertEquals(List.of(), nightly);
  }

  private static boolean isNightly(String source, String method) {
    Matcher declared = Pattern.compile(" (?:void|Stream<\\w+>) " + method + "\\(").matcher(source);
    if (!declared.find()) {
      return false;
    }
    int before = Math.max(source.lastIndexOf("\n  }\n", declared.start()), 0);
    return source.substring(before, declared.start()).contains(NIGHTLY)
        || source.contains("\n" + NIGHTLY);
  }

  private static List<Path> sources() {
    return Checkout.files().stream()
        .filter(file -> Checkout.name(file).matches(".*/src/test/java/.*Test\\.java"))
        .filter(file -> !file.endsWith("TestLevelsTest.java"))
        .toList();
  }
}
