package dev.pvcpopulators.it.operator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.cluster.KubernetesBinaries;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/// Checks that CONFORMANCE.md has all items, and that each test in its rows exists.
@Tag("tools")
final class ConformanceTest {
  private static final int ITEMS = 30;
  private static final String BUILT = KubernetesBinaries.VERSION;

  /// The newer version of Kubernetes with which the tests were run manually.
  private static final String NEWER = "1.36.2";

  private static final Pattern NAMED = Pattern.compile("`(\\w+)\\.(\\w+)`");

  private record Row(int item, String text, String ran, String tests) {}

  private static List<Row> rows() throws IOException {
    try (Stream<String> lines = Files.lines(Command.root().resolve("it/operator/CONFORMANCE.md"))) {
      return lines
          .filter(line -> line.matches("\\| \\d.*"))
          .map(line -> line.split("\\|", -1))
          .map(cells ->
              new Row(
                  Integer.parseInt(cells[1].strip()),
                  cells[2].strip(),
                  cells[3].strip(),
                  cells[4].strip()))
          .toList();
    }
  }

  @Test
  void hasAllItems() throws IOException {
    Set<Integer> items =
        rows().stream().map(Row::item).collect(Collectors.toCollection(TreeSet::new));
    assertEquals(IntStream.rangeClosed(1, ITEMS).boxed().collect(Collectors.toSet()), items);
  }

  @TestFactory
  Stream<DynamicTest> namesTestsThatRan() throws IOException {
    return rows().stream()
        .map(row ->
            DynamicTest.dynamicTest(row.item() + " " + row.text(), () -> assertNamesTests(row)));
  }

  private static void assertNamesTests(Row row) throws ClassNotFoundException {
    assertTrue(Set.of(BUILT, NEWER, BUILT + ", " + NEWER).contains(row.ran()), row::toString);
    Matcher named = NAMED.matcher(row.tests());
    assertTrue(named.find(), row::toString);
    do {
      String method = named.group(2);
      Class<?> type = Class.forName(ConformanceTest.class.getPackageName() + "." + named.group(1));
      assertFalse(
          Arrays.stream(type.getDeclaredMethods())
              .noneMatch(declared -> declared.getName().equals(method)),
          () -> type + " has no " + method);
    } while (named.find());
  }
}
