package dev.pvcpopulators.imagetoqcow2layers;

import java.io.IOException;

/// The directory of a machine holds something that this service did not make.
final class ForeignDirectoryException extends IOException {
  private static final long serialVersionUID = 1;

  ForeignDirectoryException(String message) {
    super(message);
  }
}
