package dev.pvcpopulators.iscsitarget.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/// Runs every conformance test of libiscsi. Each suite uses two portals, except `PreventAllow`,
/// which uses one portal.
///
/// A test counts as covered if it ran, did not fail, and did not report a skip. `COVERAGE.md` lists
/// the tests that may report a skip, with the reasons. The suites wait most of the time, so this
/// class runs beside other classes.
@Execution(ExecutionMode.CONCURRENT)
@Tag("tools")
final class ConformanceTest {
  private static final long LENGTH = 100L << 20;
  private static final int SUITES = 51;
  private static final int TESTS = 230;

  private static Map<String, Set<String>> suites;
  private static Set<String> allowedSkips;
  private static Conformance ours;

  @BeforeAll
  static void run(@TempDir Path directory) throws IOException, InterruptedException {
    suites = IscsiTestCu.suites();
    allowedSkips = CoverageDocument.allowedSkips();
    try (Ours server = Ours.start(directory, LENGTH)) {
      ours = Conformance.of(suites, server);
    }
  }

  private static List<String> table(Conformance peer) {
    List<String> lines = new ArrayList<>();
    lines.add("| Suite | Tests | Passed | Skipped | Failed | tgt: passed | skipped | failed |");
    lines.add("|---|---:|---:|---:|---:|---:|---:|---:|");
    suites.forEach((suite, tests) ->
        lines.add("| " + suite + " | " + tests.size() + row(ours, suite) + row(peer, suite)));
    lines.add(
        "| **all** | "
            + suites.values().stream().mapToInt(Set::size).sum()
            + row(ours)
            + row(peer));
    lines.replaceAll(line -> line.endsWith("|") ? line : line + " |");
    return lines;
  }

  private static String row(Conformance of, String suite) {
    long passed = of.count(suite, TestResult.PASSED);
    long skipped = of.count(suite, TestResult.SKIPPED);
    return row(passed, skipped, of.verdicts(suite).size() - passed - skipped);
  }

  private static String row(Conformance of) {
    return row(
        of.count(TestResult.PASSED),
        of.count(TestResult.SKIPPED),
        of.count(TestResult.FAILED) + of.count(TestResult.NOT_RUN));
  }

  private static String row(long passed, long skipped, long failed) {
    return " | " + passed + " | " + skipped + " | " + failed;
  }

  /// Checks the number of suites and the number of tests in the list that iscsi-test-cu prints.
  @Test
  void everySuiteIsKnown() {
    assertEquals(SUITES, suites.size(), suites::toString);
    assertEquals(TESTS, suites.values().stream().mapToInt(Set::size).sum(), suites::toString);
  }

  @TestFactory
  Stream<DynamicTest> suite() {
    return suites.keySet().stream()
        .map(suite -> DynamicTest.dynamicTest(suite, () -> assertCovered(suite)));
  }

  private static void assertCovered(String suite) {
    Set<String> amiss = new TreeSet<>();
    ours.verdicts(suite)
        .forEach((test, verdict) -> {
          switch (verdict) {
            case PASSED -> {}
            case SKIPPED -> {
              if (!allowedSkips.contains(suite + "." + test)) {
                amiss.add(test + " " + verdict);
              }
            }
            case NOT_RUN, FAILED -> amiss.add(test + " " + verdict);
          }
        });
    assertTrue(amiss.isEmpty(), () -> suite + ": " + amiss + "\n" + ours.output(suite));
  }

  /// Fails if `COVERAGE.md` lists a test that reports no skip.
  @Test
  void noAllowedSkipIsNeedless() {
    Set<String> needless = new TreeSet<>(allowedSkips);
    suites
        .keySet()
        .forEach(suite ->
            ours.verdicts(suite)
                .forEach((test, verdict) -> {
                  if (verdict == TestResult.SKIPPED) {
                    needless.remove(suite + "." + test);
                  }
                }));
    assertTrue(needless.isEmpty(), needless::toString);
  }

  /// Runs the same tests against tgtd, so that the results are comparable.
  @Test
  @Tag("nightly")
  void passesMoreTestsThanThePeer(@TempDir Path directory)
      throws IOException, InterruptedException {
    Conformance peer;
    try (Tgtd tgtd = Tgtd.start(directory, LENGTH)) {
      peer = Conformance.of(suites, tgtd);
    }
    Path table = CoverageDocument.module().resolve("target/conformance.md");
    Files.createDirectories(table.getParent());
    Files.write(table, table(peer));
    System.out.println(
        "ConformanceTest: ours" + row(ours) + "; tgt" + row(peer) + " (passed, skipped, failed)");
    assertTrue(peer.count(TestResult.PASSED) > TESTS / 2, "tests that tgt passed");
    assertTrue(
        ours.count(TestResult.PASSED) > peer.count(TestResult.PASSED), "more than tgt passed");
  }
}
