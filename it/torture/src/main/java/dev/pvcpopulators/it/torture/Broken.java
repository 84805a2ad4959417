package dev.pvcpopulators.it.torture;

/// An invariant does not hold: this is what the rounds are for.
final class Broken extends AssertionError {
  private static final long serialVersionUID = 1;

  /// @param what the invariant
  Broken(String what, Object expected, Object found) {
    super(what + ": expected " + expected + ", found " + found);
  }

  /// What a tool or a check has to say about it.
  Broken(String what, Throwable cause) {
    super(what + ": " + cause.getMessage(), cause);
  }

  /// Fails where two are not equal.
  static void unless(String what, Object expected, Object found) {
    if (!expected.equals(found)) {
      throw new Broken(what, expected, found);
    }
  }
}
