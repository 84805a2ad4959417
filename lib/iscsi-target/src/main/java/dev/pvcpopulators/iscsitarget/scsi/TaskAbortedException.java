package dev.pvcpopulators.iscsitarget.scsi;

import java.io.IOException;

/// A command that nobody waits for any more.
public final class TaskAbortedException extends IOException {
  private static final long serialVersionUID = 1L;

  public TaskAbortedException() {
    super("The command was aborted");
  }
}
