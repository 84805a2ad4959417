package dev.pvcpopulators.http;

/// Reports content that has another digest or size than expected, or for which no usable checksum
/// was found.
public final class DigestMismatchException extends SourceException {
  private static final long serialVersionUID = 1L;

  public DigestMismatchException(String message) {
    super(message);
  }
}
