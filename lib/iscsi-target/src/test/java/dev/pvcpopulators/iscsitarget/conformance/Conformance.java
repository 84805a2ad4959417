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

/// What iscsi-test-cu says of one target: every suite, each on the logical units that it can say
/// something about.
final class Conformance {
  private static final int BOTH = 2;

  private final Map<String, Set<String>> suites;
  private final Map<String, List<SuiteRun>> runs = new ConcurrentHashMap<>();

  private Conformance(Map<String, Set<String>> suites) {
    this.suites = suites;
  }

  /// Runs all suites one after the other; beside them what has a logical unit of its own, and
  /// spends a minute asleep.
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
      SuiteRun run = IscsiTestCu.run(part.selection(), urls);
      runs.computeIfAbsent(part.suite(), _ -> new CopyOnWriteArrayList<>()).add(run);
    }
  }

  /// [#of] on a thread of its own.
  static CompletableFuture<Conformance> begin(Map<String, Set<String>> suites, Fixture fixture) {
    return begin(() -> of(suites, fixture));
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

  /// A process to run.
  ///
  /// @param selection the suite, or one test of it
  /// @param portals how many to give it
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
      // Over two portals, the second session would be there from the beginning, and still have the
      // unit attention of a reset when it is needed.
      case "PreventAllow" -> Stream.of(new Part(suite, suite, Kind.REMOVABLE, 1));
      // One looks at what it began some seconds ago; the others wait for the end.
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

  /// The verdict on each test of a suite.
  Map<String, Verdict> verdicts(String suite) {
    Map<String, Verdict> verdicts = new TreeMap<>();
    for (String test : suites.getOrDefault(suite, Set.of())) {
      verdicts.put(
          test,
          runs(suite).stream()
              .map(run -> run.verdicts().getOrDefault(test, Verdict.NOT_RUN))
              .reduce(Verdict::and)
              .orElse(Verdict.NOT_RUN));
    }
    return verdicts;
  }

  /// Tests with that verdict in a suite.
  long count(String suite, Verdict verdict) {
    return verdicts(suite).values().stream().filter(verdict::equals).count();
  }

  /// Tests with that verdict in all suites.
  long count(Verdict verdict) {
    return suites.keySet().stream().mapToLong(suite -> count(suite, verdict)).sum();
  }

  /// What the tool printed about a suite.
  String output(String suite) {
    return String.join("\n", runs(suite).stream().map(run -> run.ran().toString()).toList());
  }
}
