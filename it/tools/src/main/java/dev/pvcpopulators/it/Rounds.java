package dev.pvcpopulators.it;

/// How many of several cases a test runs: a few, or all of them in the nightly level.
public final class Rounds {
  private static final boolean ALL = Boolean.getBoolean("tests.all");

  private Rounds() {}

  /// Returns whether all cases are wanted.
  public static boolean all() {
    return ALL;
  }

  /// Returns the first number for `make test` and the second one for `make nightly`.
  public static int of(int few, int all) {
    return ALL ? all : few;
  }
}
