package dev.pvcpopulators.imagetoqcow2layers.machine;

import java.io.IOException;

/// Reports that a machine's directory contains something that this service did not make.
public final class ForeignDirectoryException extends IOException {
  private static final long serialVersionUID = 1;

  public ForeignDirectoryException(String message) {
    super(message);
  }
}
