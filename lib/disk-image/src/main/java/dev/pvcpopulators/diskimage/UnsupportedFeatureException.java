package dev.pvcpopulators.diskimage;

import java.io.IOException;

/// Thrown for a source that is valid as far as it was read, but uses an unsupported feature. The
/// feature is refused on purpose (a backing file, encryption), is unknown (an incompatible feature
/// bit), or cannot be processed here (no space for staging, no `qemu-img`).
public final class UnsupportedFeatureException extends IOException {
  private static final long serialVersionUID = 1L;

  /// Creates an exception.
  ///
  /// @param message the feature, the reason for the refusal and, if there is one, a workaround
  public UnsupportedFeatureException(String message) {
    super(message);
  }

  /// Creates an exception whose cause is the failure that revealed the feature.
  public UnsupportedFeatureException(String message, Throwable cause) {
    super(message, cause);
  }
}
