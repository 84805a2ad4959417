package dev.pvcpopulators.http;

import java.io.IOException;

/// Reports why a source cannot be read. Each message states what failed, for which source, and why.
/// It contains no credential.
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
