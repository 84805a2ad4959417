package dev.pvcpopulators.http;

/// The source says that it has no such image, tag, manifest, blob or file.
public final class SourceNotFoundException extends SourceException {
  private static final long serialVersionUID = 1L;

  public SourceNotFoundException(String message) {
    super(message);
  }

  /// As above, with the exception that told.
  public SourceNotFoundException(String message, Throwable cause) {
    super(message, cause);
  }
}
