package dev.pvcpopulators.imagetoqcow2layers.machine;

import java.io.IOException;

/// The directory of a machine holds something that this service did not make.
public final class ForeignDirectoryException extends IOException {
  private static final long serialVersionUID = 1;

  public ForeignDirectoryException(String message) {
    super(message);
  }
}
