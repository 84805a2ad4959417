package dev.pvcpopulators.iscsitarget.conformance;

/// The verdict of a conformance test, from best to worst. If a test ran several times, the best
/// verdict counts, unless one run failed.
enum TestResult {
  PASSED,
  /// The test ran, and reports that it could not test its subject.
  SKIPPED,
  /// The test did not run, or did not finish.
  NOT_RUN,
  FAILED;

  /// Combines the verdicts on a test that ran on two fixtures.
  TestResult and(TestResult other) {
    if (this == FAILED || other == FAILED) {
      return FAILED;
    }
    return compareTo(other) <= 0 ? this : other;
  }
}
