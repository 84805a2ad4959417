package dev.pvcpopulators.iscsitarget.conformance;

import dev.pvcpopulators.iscsitarget.conformance.Fixture.Kind;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

/// The results of all suites of iscsi-test-cu for one server: ours or tgtd.
final class Conformance {
  private static final int BOTH = 2;

  private final Map<String, Set<String>> suites;
  private final Map<String, List<SuiteRun>> runs = new ConcurrentHashMap<>();

  private Conformance(Map<String, Set<String>> suites) {
    this.suites = suites;
  }

  /// Runs the short parts in sequence and, at the same time, the long parts in sequence. The long
  /// parts use their own logical unit.
  static Conformance of(Map<String, Set<String>> suites, Fixture fixture)
      throws IOException, InterruptedException {
    Conformance conformance = new Conformance(suites);
    List<Part> parts = suites.keySet().stream().flatMap(conformance::parts).toList();
    CompletableFuture<Void> beside =
        begin(() -> {
          conformance.run(fixture, parts.stream().filter(Part::isLong).toList());
          return null;
        });
    conformance.run(fixture, parts.stream().filter(part -> !part.isLong()).toList());
    beside.join();
    return conformance;
  }

  private void run(Fixture fixture, List<Part> parts) throws IOException, InterruptedException {
    for (Part part : parts) {
      List<String> urls = fixture.urls(part.kind()).subList(0, part.portals());
      runs.computeIfAbsent(part.suite(), _ -> new CopyOnWriteArrayList<>())
          .add(IscsiTestCu.run(part.selection(), urls));
    }
  }

  private static <T> CompletableFuture<T> begin(Callable<T> work) {
    CompletableFuture<T> result = new CompletableFuture<>();
    Thread.startVirtualThread(() -> {
      try {
        result.complete(work.call());
      } catch (Exception | AssertionError e) {
        result.completeExceptionally(e);
      }
    });
    return result;
  }

  /// One process of iscsi-test-cu.
  ///
  /// @param selection the suite, or one test of the suite as `SUITE.TEST`
  /// @param portals the number of portals that the process uses
  private record Part(String suite, String selection, Kind kind, int portals) {
    Part(String suite, Kind kind) {
      this(suite, suite, kind, BOTH);
    }

    boolean isLong() {
      return kind == Kind.UNHURRIED;
    }
  }

  private Stream<Part> parts(String suite) {
    return switch (suite) {
      case "ReadOnly" -> Stream.of(new Part(suite, Kind.READ_ONLY));
      case "StartStopUnit", "NoMedia" -> Stream.of(new Part(suite, Kind.REMOVABLE));
      // Uses one portal. With two portals, the suite opens a second session. After a reset in one
      // test, this session has a pending unit attention, which disturbs the next test.
      case "PreventAllow" -> Stream.of(new Part(suite, suite, Kind.REMOVABLE, 1));
      // The test `Reset` checks the progress of SANITIZE some seconds after it starts SANITIZE, so
      // this test needs a slow medium. The other tests of this suite wait for the end of SANITIZE,
      // so they use a fast medium.
      case "Sanitize" ->
          suites.getOrDefault(suite, Set.of()).stream()
              .map(test -> new Part(suite, suite + "." + test, sanitized(test), BOTH));
      default -> Stream.of(new Part(suite, Kind.THIN));
    };
  }

  private static Kind sanitized(String test) {
    return test.equals("Reset") ? Kind.UNHURRIED : Kind.THIN;
  }

  private List<SuiteRun> runs(String suite) {
    return runs.getOrDefault(suite, List.of());
  }

  /// Returns the verdict on each test of a suite.
  Map<String, TestResult> verdicts(String suite) {
    Map<String, TestResult> verdicts = new TreeMap<>();
    for (String test : suites.getOrDefault(suite, Set.of())) {
      verdicts.put(
          test,
          runs(suite).stream()
              .map(run -> run.verdicts().getOrDefault(test, TestResult.NOT_RUN))
              .reduce(TestResult::and)
              .orElse(TestResult.NOT_RUN));
    }
    return verdicts;
  }

  /// Counts the tests with the given verdict in a suite.
  long count(String suite, TestResult verdict) {
    return verdicts(suite).values().stream().filter(verdict::equals).count();
  }

  /// Counts the tests with the given verdict in all suites.
  long count(TestResult verdict) {
    return suites.keySet().stream().mapToLong(suite -> count(suite, verdict)).sum();
  }

  /// Returns the output of iscsi-test-cu for a suite.
  String output(String suite) {
    return String.join("\n", runs(suite).stream().map(run -> run.ran().toString()).toList());
  }
}
