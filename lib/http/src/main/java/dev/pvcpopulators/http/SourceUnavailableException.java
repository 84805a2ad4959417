package dev.pvcpopulators.http;

/// The source cannot be reached, broke off or is overloaded, also after retries; the same may
/// succeed later.
public final class SourceUnavailableException extends SourceException {
  private static final long serialVersionUID = 1L;

  public SourceUnavailableException(String message) {
    super(message);
  }

  /// As above, with the exception that told.
  public SourceUnavailableException(String message, Throwable cause) {
    super(message, cause);
  }
}
