package dev.pvcpopulators.images;

/// Thrown for an invalid command line; the message describes the error.
final class UsageException extends Exception {
  private static final long serialVersionUID = 1;

  UsageException(String message) {
    super(message);
  }
}
