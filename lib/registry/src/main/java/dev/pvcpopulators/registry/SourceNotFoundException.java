package dev.pvcpopulators.registry;

/// There is no such image, tag, manifest or blob: the source said so.
public final class SourceNotFoundException extends RegistryException {
  private static final long serialVersionUID = 1L;

  public SourceNotFoundException(String message) {
    super(message);
  }

  /// As above, with the exception that told.
  public SourceNotFoundException(String message, Throwable cause) {
    super(message, cause);
  }
}
