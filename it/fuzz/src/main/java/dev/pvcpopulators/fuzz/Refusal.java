package dev.pvcpopulators.fuzz;

/// What is said of an input that is refused: it goes into logs and answers, so it is short and has
/// one line, whatever the input was.
public final class Refusal {
  private static final int MOST = 8192;

  private Refusal() {}

  /// Looks at the message.
  ///
  /// @throws AssertionError if it is missing, long, or has a control character
  public static void check(Exception refusal) {
    String message = refusal.getMessage();
    boolean fit =
        message != null
            && !message.isBlank()
            && message.length() <= MOST
            && message.chars().noneMatch(Character::isISOControl);
    if (!fit) {
      throw new AssertionError("Not fit for a log", refusal);
    }
  }

  /// Fails if something does not hold.
  ///
  /// @throws AssertionError with the text
  public static void ensure(boolean holds, String otherwise) {
    if (!holds) {
      throw new AssertionError(otherwise);
    }
  }
}
