package dev.pvcpopulators.http;

/// Reports that the source requires credentials, refuses the given ones, or refuses every client.
public final class SourceDeniedException extends SourceException {
  private static final long serialVersionUID = 1L;

  public SourceDeniedException(String message) {
    super(message);
  }

  /// Creates the exception with its cause.
  public SourceDeniedException(String message, Throwable cause) {
    super(message, cause);
  }
}
