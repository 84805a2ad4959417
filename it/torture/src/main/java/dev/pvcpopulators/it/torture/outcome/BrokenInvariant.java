package dev.pvcpopulators.it.torture.outcome;

/// An invariant does not hold: this is what the rounds are for.
public final class BrokenInvariant extends AssertionError {
  private static final long serialVersionUID = 1;

  /// @param what the invariant
  public BrokenInvariant(String what, Object expected, Object found) {
    super(what + ": expected " + expected + ", found " + found);
  }

  /// What a tool or a check has to say about it.
  public BrokenInvariant(String what, Throwable cause) {
    super(what + ": " + cause.getMessage(), cause);
  }

  /// Fails if two are not equal.
  public static void unless(String what, Object expected, Object found) {
    if (!expected.equals(found)) {
      throw new BrokenInvariant(what, expected, found);
    }
  }
}
