package dev.pvcpopulators.iscsitarget.conformance;

import dev.pvcpopulators.it.Command;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The parsed output of one process of iscsi-test-cu.
///
/// The summary of the tool counts a skipped test as passed. Only the output of the test shows the
/// skip.
///
/// @param verdicts the verdicts by the name of the test, without family and suite
/// @param ran the run, for the message of a failed test
record SuiteRun(String suite, Map<String, TestResult> verdicts, Command.Ran ran) {
  private static final Pattern TEST =
      Pattern.compile("^ {2}Test: (\\S+) \\.\\.\\.", Pattern.MULTILINE);

  /// Matches a result after the name of the test, or at the beginning of a later line.
  private static final Pattern VERDICT =
      Pattern.compile("(?:^|\\.\\.\\.)(passed|FAILED)", Pattern.MULTILINE);

  private static final Pattern SUMMARY =
      Pattern.compile("^ +tests +\\d+ +(\\d+) +(\\d+) +(\\d+) +\\d+$", Pattern.MULTILINE);

  private static final String SKIPPED = "[SKIPPED]";

  /// Parses the output of a run.
  ///
  /// @throws AssertionError if the summary in the output differs from the results in the output
  static SuiteRun of(String suite, Command.Ran ran) {
    Map<String, TestResult> verdicts = new LinkedHashMap<>();
    Matcher test = TEST.matcher(ran.output());
    boolean found = test.find();
    while (found) {
      String name = test.group(1);
      int begin = test.end() - "...".length();
      found = test.find();
      verdicts.put(
          name,
          verdict(ran.output().substring(begin, found ? test.start() : ran.output().length())));
    }
    assertSummed(verdicts, ran);
    return new SuiteRun(suite, verdicts, ran);
  }

  private static TestResult verdict(String output) {
    Matcher matcher = VERDICT.matcher(output);
    if (!matcher.find()) {
      return TestResult.NOT_RUN;
    }
    if (matcher.group(1).equals("FAILED")) {
      return TestResult.FAILED;
    }
    return output.substring(0, matcher.start()).contains(SKIPPED)
        ? TestResult.SKIPPED
        : TestResult.PASSED;
  }

  private static void assertSummed(Map<String, TestResult> verdicts, Command.Ran ran) {
    Matcher summary = SUMMARY.matcher(ran.output());
    if (!summary.find()) {
      return; // The run was incomplete. Tests without a verdict are NOT_RUN.
    }
    long failed = verdicts.values().stream().filter(TestResult.FAILED::equals).count();
    if (Integer.parseInt(summary.group(1)) != verdicts.size()
        || Integer.parseInt(summary.group(3)) != failed) {
      throw new AssertionError("Read " + verdicts + " out of " + ran);
    }
  }
}
