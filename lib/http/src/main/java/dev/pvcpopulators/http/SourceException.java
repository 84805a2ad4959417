package dev.pvcpopulators.http;

import java.io.IOException;

/// The reason why a source cannot be read. Each message says action, subject, what was expected and
/// what was found, and holds no credential.
public abstract sealed class SourceException extends IOException
    permits SourceDeniedException,
        SourceNotFoundException,
        SourceUnavailableException,
        DigestMismatchException {
  private static final long serialVersionUID = 1L;

  SourceException(String message) {
    super(message);
  }

  SourceException(String message, Throwable cause) {
    super(message, cause);
  }
}
