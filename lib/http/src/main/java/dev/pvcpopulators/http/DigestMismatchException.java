package dev.pvcpopulators.http;

/// Content differs in digest or size from what it was named by.
public final class DigestMismatchException extends SourceException {
  private static final long serialVersionUID = 1L;

  public DigestMismatchException(String message) {
    super(message);
  }
}
