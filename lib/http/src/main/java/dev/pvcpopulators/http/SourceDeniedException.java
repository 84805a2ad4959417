package dev.pvcpopulators.http;

/// The source requires credentials, or other ones, or refuses every client.
public final class SourceDeniedException extends SourceException {
  private static final long serialVersionUID = 1L;

  public SourceDeniedException(String message) {
    super(message);
  }

  /// As above, with the exception that told.
  public SourceDeniedException(String message, Throwable cause) {
    super(message, cause);
  }
}
