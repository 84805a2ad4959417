package dev.pvcpopulators.iscsitarget.conformance;

import dev.pvcpopulators.iscsitarget.conformance.Fixture.Kind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/// What iscsi-test-cu says of one target: every suite, each on the logical units that it can say
/// something about.
final class Conformance {
  private final Map<String, Set<String>> suites;
  private final Map<String, List<SuiteRun>> runs = new TreeMap<>();

  private Conformance(Map<String, Set<String>> suites) {
    this.suites = suites;
  }

  /// Runs all suites one after the other.
  static Conformance of(Map<String, Set<String>> suites, Fixture fixture)
      throws IOException, InterruptedException {
    Conformance conformance = new Conformance(suites);
    for (String suite : suites.keySet()) {
      for (Kind kind : kinds(suite)) {
        conformance
            .runs
            .computeIfAbsent(suite, _ -> new ArrayList<>())
            .add(IscsiTestCu.run(suite, urls(suite, fixture.urls(kind))));
      }
    }
    return conformance;
  }

  /// The same on a thread of its own.
  static CompletableFuture<Conformance> begin(Map<String, Set<String>> suites, Fixture fixture) {
    CompletableFuture<Conformance> result = new CompletableFuture<>();
    Thread.startVirtualThread(() -> {
      try {
        result.complete(of(suites, fixture));
      } catch (IOException | InterruptedException | AssertionError e) {
        result.completeExceptionally(e);
      }
    });
    return result;
  }

  /// Over two portals, a suite's second session is there from the beginning; in PreventAllow it
  /// would still have the unit attention of a reset when it is needed.
  private static List<String> urls(String suite, List<String> portals) {
    return suite.equals("PreventAllow") ? portals.subList(0, 1) : portals;
  }

  private static List<Kind> kinds(String suite) {
    return switch (suite) {
      case "ReadOnly" -> List.of(Kind.THIN, Kind.READ_ONLY);
      case "PreventAllow", "StartStopUnit", "NoMedia" -> List.of(Kind.THIN, Kind.REMOVABLE);
      case "Sanitize" -> List.of(Kind.UNHURRIED);
      default -> List.of(Kind.THIN);
    };
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
