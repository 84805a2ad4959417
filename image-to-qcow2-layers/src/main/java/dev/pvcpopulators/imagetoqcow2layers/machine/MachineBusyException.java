package dev.pvcpopulators.imagetoqcow2layers.machine;

import java.io.IOException;

/// Reports that another process is making the same machine.
public final class MachineBusyException extends IOException {
  private static final long serialVersionUID = 1;

  public MachineBusyException(String message) {
    super(message);
  }
}
