package dev.pvcpopulators.kubernetes.manifest;

/// Reports a document that Kubernetes refuses, or that the tests do not support. The message states
/// the reason.
public final class MalformedManifestException extends RuntimeException {
  private static final long serialVersionUID = 1;

  MalformedManifestException(String message) {
    super(message);
  }

  MalformedManifestException(String message, Throwable cause) {
    super(message, cause);
  }
}
