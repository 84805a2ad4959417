package dev.pvcpopulators.iscsitarget.conformance;

/// What a conformance test said, from best to worst; of several runs the best says what was proven,
/// unless one failed.
enum Verdict {
  PASSED,
  /// It ran, and says itself that it could not test what it is for.
  SKIPPED,
  /// It did not run, or did not come to its end.
  NOT_RUN,
  FAILED;

  /// The verdict on a test that ran on two fixtures.
  Verdict and(Verdict other) {
    if (this == FAILED || other == FAILED) {
      return FAILED;
    }
    return compareTo(other) <= 0 ? this : other;
  }
}
