package dev.pvcpopulators.imagetoqcow2layers.boot;

import java.io.IOException;

/// Reports an image without the user of its process.
public final class UnknownUserException extends IOException {
  private static final long serialVersionUID = 1;

  public UnknownUserException(String message) {
    super(message);
  }
}
