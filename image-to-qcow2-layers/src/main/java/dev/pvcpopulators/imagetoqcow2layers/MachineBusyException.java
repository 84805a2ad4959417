package dev.pvcpopulators.imagetoqcow2layers;

import java.io.IOException;

/// Another process is making the same machine.
final class MachineBusyException extends IOException {
  private static final long serialVersionUID = 1;

  MachineBusyException(String message) {
    super(message);
  }
}
