package dev.pvcpopulators.it.torture.outcome;

/// Reports that an invariant does not hold.
public final class BrokenInvariant extends AssertionError {
  private static final long serialVersionUID = 1;

  /// Reports a broken invariant with the expected and the found value.
  ///
  /// @param what the invariant
  public BrokenInvariant(String what, Object expected, Object found) {
    super(what + ": expected " + expected + ", found " + found);
  }

  /// Reports a broken invariant with the error of a tool or of a check.
  ///
  /// @param what the invariant
  public BrokenInvariant(String what, Throwable cause) {
    super(what + ": " + cause.getMessage(), cause);
  }

  /// Fails if the two values are not equal.
  public static void unless(String what, Object expected, Object found) {
    if (!expected.equals(found)) {
      throw new BrokenInvariant(what, expected, found);
    }
  }
}
