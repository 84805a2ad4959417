package dev.pvcpopulators.it;

/// Chooses the number of cases that a test runs: a few, or all of them in the nightly level.
public final class Rounds {
  private static final boolean ALL = Boolean.getBoolean("tests.all");

  private Rounds() {}

  /// Returns whether all cases run.
  public static boolean all() {
    return ALL;
  }

  /// Returns the first number for `make test` and the second one for `make nightly`.
  public static int of(int few, int all) {
    return ALL ? all : few;
  }
}
