package dev.pvcpopulators.registry;

/// Content differs in digest or size from what it was named by.
public final class DigestMismatchException extends RegistryException {
  private static final long serialVersionUID = 1L;

  public DigestMismatchException(String message) {
    super(message);
  }
}
