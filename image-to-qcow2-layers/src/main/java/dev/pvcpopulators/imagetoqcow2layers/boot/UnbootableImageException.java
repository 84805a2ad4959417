package dev.pvcpopulators.imagetoqcow2layers.boot;

import java.io.IOException;

/// The image says nothing that could be run, or what no machine can run.
public final class UnbootableImageException extends IOException {
  private static final long serialVersionUID = 1;

  public UnbootableImageException(String message) {
    super(message);
  }
}
