package dev.pvcpopulators.registry.disk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DiskPathTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "disk/a",
        "/",
        "/disk/",
        "//",
        "/disk/../etc/x",
        "/disk/..",
        "/./x",
        "/d*/x",
        "/d?/x",
        "/[d]/x",
        "/disk/[ab",
        "/disk/[",
        "/disk/[]",
        "/disk/[!]",
        "/disk/a\0b",
        "/disk/a\nb"
      })
  void refuses(String text) {
    assertThrows(IllegalArgumentException.class, () -> DiskPath.parse(text));
  }

  @Test
  void takesUpToTheLimits() {
    String component = "x".repeat(255);
    assertEquals("/" + component, DiskPath.parse("/" + component).pattern());
    assertThrows(IllegalArgumentException.class, () -> DiskPath.parse("/x" + component));
    String deep = "/d".repeat(128);
    assertEquals(deep, DiskPath.parse(deep).pattern());
    assertThrows(IllegalArgumentException.class, () -> DiskPath.parse(deep + "/d"));
    String longest = ("/" + component).repeat(16);
    assertEquals(4096, longest.length());
    assertEquals(longest, DiskPath.parse(longest).pattern());
    assertThrows(IllegalArgumentException.class, () -> DiskPath.parse(longest + "/"));
  }

  @Test
  void dropsMeaninglessEntries() {
    assertEquals("/disk/a.img", DiskPath.parse("//disk///a.img").pattern());
    assertEquals(DiskPath.DEFAULT, DiskPath.parse("/disk/*"));
    assertTrue(DiskPath.parse("/disk//*").containerDisk());
    assertFalse(DiskPath.parse("/disk/*.img").containerDisk());
    assertEquals(List.of(), DiskPath.parse("/a.img").directory());
  }

  /// Compares the matches with the matches of the JDK's globs. The patterns do not contain `[^…]`,
  /// which the JDK's globs do not support, and do not contain characters that have a special
  /// meaning only in the JDK's globs.
  @Test
  void matchesAsTheJdkDoes() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    List<String> pieces = List.of("a", "b", "c", "*", "?", "[ab]", "[!a]", "[a-b]", "é");
    int matched = 0;
    for (int i = 0; i < 5_000; i++) {
      StringBuilder pattern = new StringBuilder();
      StringBuilder name = new StringBuilder();
      for (int j = random.nextInt(7) + 1; j > 0; j--) {
        pattern.append(pieces.get(random.nextInt(pieces.size())));
      }
      for (int j = random.nextInt(6) + 1; j > 0; j--) {
        name.append("abcé".charAt(random.nextInt(4)));
      }
      boolean expected =
          FileSystems.getDefault()
              .getPathMatcher("glob:" + pattern)
              .matches(Path.of(name.toString()));
      matched += expected ? 1 : 0;
      assertEquals(
          expected,
          NamePattern.parse(pattern.toString()).matches(name.toString()),
          "seed " + seed + ": " + pattern + " and " + name);
    }
    assertTrue(matched > 100, "seed " + seed + " matched " + matched);
  }

  @Test
  void takesSetsLiterally() {
    assertTrue(NamePattern.parse("[]a]x").matches("]x"));
    assertTrue(NamePattern.parse("[^]]").matches("x"));
    assertFalse(NamePattern.parse("[^]]").matches("]"));
    assertTrue(NamePattern.parse("[a-]").matches("-"));
    assertTrue(NamePattern.parse("[*]").matches("*"));
    assertFalse(NamePattern.parse("[*]").matches("a"));
    assertTrue(NamePattern.parse("disk.img").matches("disk.img"));
    assertFalse(NamePattern.parse("disk.img").matches("diskximg"));
    assertTrue(NamePattern.parse("?").matches("\ud83d\udcbf"));
  }

  @Test
  void takesNoMoreThanPatternTimesName() {
    NamePattern pattern = NamePattern.parse("*a".repeat(120) + "b");
    String name = "a".repeat(255);
    assertTimeoutPreemptively(Duration.ofMinutes(10), () -> assertFalse(pattern.matches(name)));
  }
}
