package dev.pvcpopulators.http;

/// Reports content with another digest or size than expected.
public final class DigestMismatchException extends SourceException {
  private static final long serialVersionUID = 1L;

  public DigestMismatchException(String message) {
    super(message);
  }
}
