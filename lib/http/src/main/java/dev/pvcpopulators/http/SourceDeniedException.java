package dev.pvcpopulators.http;

/// Reports that access is denied: the source requires credentials or refuses the given credentials;
/// the configured credentials cannot be read; or the settings of this program do not permit the
/// source.
public final class SourceDeniedException extends SourceException {
  private static final long serialVersionUID = 1L;

  public SourceDeniedException(String message) {
    super(message);
  }

  public SourceDeniedException(String message, Throwable cause) {
    super(message, cause);
  }
}
