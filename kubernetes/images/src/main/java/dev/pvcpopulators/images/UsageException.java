package dev.pvcpopulators.images;

/// The command line is not one that [Arguments] takes; the message says which word of it.
final class UsageException extends Exception {
  private static final long serialVersionUID = 1;

  UsageException(String message) {
    super(message);
  }
}
