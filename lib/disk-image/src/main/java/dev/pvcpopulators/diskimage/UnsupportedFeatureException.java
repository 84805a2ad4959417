package dev.pvcpopulators.diskimage;

import java.io.IOException;

/// The source is valid as far as it was read, and uses what we refuse on purpose (a backing file,
/// encryption) or do not know (an incompatible feature bit).
public final class UnsupportedFeatureException extends IOException {
  private static final long serialVersionUID = 1L;

  /// @param message what was found, why it is refused, and where it helps how to get around it
  public UnsupportedFeatureException(String message) {
    super(message);
  }
}
