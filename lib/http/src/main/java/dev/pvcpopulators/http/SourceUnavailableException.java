package dev.pvcpopulators.http;

/// Reports that the source cannot be read at present, although the same request may succeed later.
/// Either retries did not help, because the source cannot be reached or is overloaded; or an
/// immediate retry is useless, for example after a forbidden redirect.
public final class SourceUnavailableException extends SourceException {
  private static final long serialVersionUID = 1L;

  public SourceUnavailableException(String message) {
    super(message);
  }

  public SourceUnavailableException(String message, Throwable cause) {
    super(message, cause);
  }
}
