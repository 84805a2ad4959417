package dev.pvcpopulators.registry;

import java.io.IOException;

/// Why an image cannot be pulled. Each message says action, subject, what was expected and what was
/// found, and holds no credential.
public abstract sealed class RegistryException extends IOException
    permits SourceDeniedException,
        SourceNotFoundException,
        SourceUnavailableException,
        DigestMismatchException {
  private static final long serialVersionUID = 1L;

  RegistryException(String message) {
    super(message);
  }

  RegistryException(String message, Throwable cause) {
    super(message, cause);
  }
}
