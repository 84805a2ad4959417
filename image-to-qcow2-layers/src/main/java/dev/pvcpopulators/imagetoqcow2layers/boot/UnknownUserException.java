package dev.pvcpopulators.imagetoqcow2layers.boot;

import java.io.IOException;

/// The image's process is to run as somebody whom the image does not know.
public final class UnknownUserException extends IOException {
  private static final long serialVersionUID = 1;

  public UnknownUserException(String message) {
    super(message);
  }
}
