package dev.pvcpopulators.iscsitarget.scsi;

import java.io.IOException;

/// The command cannot continue: it was aborted, its connection is lost, or its data will not
/// arrive. The transport decides whether to answer the command.
public final class TaskAbortedException extends IOException {
  private static final long serialVersionUID = 1L;

  public TaskAbortedException() {
    super("The command was aborted");
  }
}
