package dev.pvcpopulators.iscsitarget.conformance;

import dev.pvcpopulators.it.Command;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Runs libiscsi's conformance tests.
///
/// The families of tests overlap, but the family `ALL` contains each test once. Each suite runs in
/// its own process, because the PDU mutator of one suite affects later suites in the same process.
final class IscsiTestCu {
  private static final String PROGRAM = "iscsi-test-cu";
  private static final String FAMILY = "ALL";
  private static final Duration SUITE_LIMIT = Duration.ofMinutes(10);
  private static final Duration LIST_LIMIT = Duration.ofMinutes(10);

  private IscsiTestCu() {}

  /// Returns the names of the tests of each suite, in the tool's order.
  static Map<String, Set<String>> suites() throws IOException, InterruptedException {
    Map<String, Set<String>> suites = new LinkedHashMap<>();
    for (String line :
        Command.of(PROGRAM, "-l").within(LIST_LIMIT).ok().output().lines().toList()) {
      String[] parts = line.strip().split("\\.", 3);
      if (parts[0].equals(FAMILY) && parts.length > 1) {
        Set<String> tests = suites.computeIfAbsent(parts[1], _ -> new LinkedHashSet<>());
        if (parts.length > 2) {
          tests.add(parts[2]);
        }
      }
    }
    return suites;
  }

  /// Runs a suite, including its destructive tests.
  ///
  /// @param suite a suite, or one of its tests: `SUITE.TEST`
  /// @param urls the URLs of the logical unit: one URL for each portal, for one or two portals
  static SuiteRun run(String suite, List<String> urls) throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(List.of(PROGRAM, "-d", "-S", "-v", "-t", FAMILY + "." + suite));
    command.addAll(urls);
    return SuiteRun.of(suite, new Command(command).within(SUITE_LIMIT));
  }
}
