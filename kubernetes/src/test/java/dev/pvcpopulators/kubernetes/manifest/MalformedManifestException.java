package dev.pvcpopulators.kubernetes.manifest;

/// A document that Kubernetes would not read; the message says where and why.
public final class MalformedManifestException extends RuntimeException {
  private static final long serialVersionUID = 1;

  MalformedManifestException(String message) {
    super(message);
  }

  MalformedManifestException(String message, Throwable cause) {
    super(message, cause);
  }
}
