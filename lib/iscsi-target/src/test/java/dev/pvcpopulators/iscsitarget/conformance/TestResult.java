package dev.pvcpopulators.iscsitarget.conformance;

/// The possible verdicts on a conformance test, from best to worst. If a test ran several times and
/// one of the runs failed, the verdict is [#FAILED]. Otherwise the best verdict counts.
enum TestResult {
  PASSED,
  /// The test ran, but reported that it skipped its checks.
  SKIPPED,
  /// The test did not run, or did not finish.
  NOT_RUN,
  FAILED;

  /// Combines the verdicts of two runs of a test.
  TestResult and(TestResult other) {
    if (this == FAILED || other == FAILED) {
      return FAILED;
    }
    return compareTo(other) <= 0 ? this : other;
  }
}
