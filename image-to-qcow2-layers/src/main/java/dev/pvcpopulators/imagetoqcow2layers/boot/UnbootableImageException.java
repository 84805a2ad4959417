package dev.pvcpopulators.imagetoqcow2layers.boot;

import java.io.IOException;

/// The image has no program to run, or requires what no machine can do.
public final class UnbootableImageException extends IOException {
  private static final long serialVersionUID = 1;

  public UnbootableImageException(String message) {
    super(message);
  }
}
