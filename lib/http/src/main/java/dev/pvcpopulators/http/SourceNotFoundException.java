package dev.pvcpopulators.http;

/// Reports that the source does not have the image, tag, manifest, blob or file.
public final class SourceNotFoundException extends SourceException {
  private static final long serialVersionUID = 1L;

  public SourceNotFoundException(String message) {
    super(message);
  }

  public SourceNotFoundException(String message, Throwable cause) {
    super(message, cause);
  }
}
