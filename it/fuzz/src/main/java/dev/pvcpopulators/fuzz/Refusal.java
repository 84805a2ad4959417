package dev.pvcpopulators.fuzz;

/// Checks the messages of exceptions that refuse an input. The messages appear in logs and
/// responses. Therefore each message must be short, and must be a single line.
public final class Refusal {
  private static final int MOST = 8192;

  private Refusal() {}

  /// Checks the message.
  ///
  /// @throws AssertionError if the message is missing or blank, is too long, or contains a control
  ///   character
  public static void check(Exception refusal) {
    String message = refusal.getMessage();
    boolean fit =
        message != null
            && !message.isBlank()
            && message.length() <= MOST
            && message.chars().noneMatch(Character::isISOControl);
    if (!fit) {
      throw new AssertionError("The message is not valid for a log", refusal);
    }
  }

  /// Fails if a condition does not hold.
  ///
  /// @throws AssertionError with the message `otherwise`
  public static void ensure(boolean holds, String otherwise) {
    if (!holds) {
      throw new AssertionError(otherwise);
    }
  }
}
