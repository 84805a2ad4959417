package dev.pvcpopulators.http;

/// Reports that the source cannot be read at present. There are two cases. In the first case, the
/// source cannot be reached or is overloaded, and retries did not help. In the second case, an
/// immediate retry is useless, for example after a forbidden redirect. In both cases, the same
/// request may succeed later.
public final class SourceUnavailableException extends SourceException {
  private static final long serialVersionUID = 1L;

  public SourceUnavailableException(String message) {
    super(message);
  }

  /// Creates the exception with its cause.
  public SourceUnavailableException(String message, Throwable cause) {
    super(message, cause);
  }
}
