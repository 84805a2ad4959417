package dev.pvcpopulators.imagetoqcow2layers;

import java.io.IOException;

/// Where a machine is to be, or was, there is something that this service did not make.
final class ForeignDirectoryException extends IOException {
  private static final long serialVersionUID = 1;

  ForeignDirectoryException(String message) {
    super(message);
  }
}
