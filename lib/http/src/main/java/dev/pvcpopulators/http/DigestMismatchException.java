package dev.pvcpopulators.http;

/// Reports that content has another digest or size than expected, or that no usable checksum of the
/// content was found.
public final class DigestMismatchException extends SourceException {
  private static final long serialVersionUID = 1L;

  public DigestMismatchException(String message) {
    super(message);
  }
}
