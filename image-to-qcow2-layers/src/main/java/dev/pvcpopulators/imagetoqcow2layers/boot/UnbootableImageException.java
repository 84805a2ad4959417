package dev.pvcpopulators.imagetoqcow2layers.boot;

import java.io.IOException;

/// Reports an image that has no program to run, or that requires a feature that no machine has.
public final class UnbootableImageException extends IOException {
  private static final long serialVersionUID = 1;

  public UnbootableImageException(String message) {
    super(message);
  }
}
