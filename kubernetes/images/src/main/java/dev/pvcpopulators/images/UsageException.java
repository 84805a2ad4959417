package dev.pvcpopulators.images;

/// Thrown for an invalid command line; the message names the argument.
final class UsageException extends Exception {
  private static final long serialVersionUID = 1;

  UsageException(String message) {
    super(message);
  }
}
