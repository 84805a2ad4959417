package dev.pvcpopulators.iscsitarget.scsi;

import java.io.IOException;

/// The command was aborted and is not answered.
public final class TaskAbortedException extends IOException {
  private static final long serialVersionUID = 1L;

  public TaskAbortedException() {
    super("The command was aborted");
  }
}
