package dev.pvcpopulators.registry;

/// The source wants credentials, or others, or refuses this image to everybody.
public final class SourceDeniedException extends RegistryException {
  private static final long serialVersionUID = 1L;

  public SourceDeniedException(String message) {
    super(message);
  }

  /// As above, with the exception that told.
  public SourceDeniedException(String message, Throwable cause) {
    super(message, cause);
  }
}
