package dev.pvcpopulators.iscsitarget.block;

import dev.pvcpopulators.iscsitarget.scsi.BriefCommand;
import dev.pvcpopulators.iscsitarget.scsi.Response;
import dev.pvcpopulators.iscsitarget.scsi.Task;

/// PREVENT ALLOW MEDIUM REMOVAL (SBC-3, section 5.7): a nexus prevents removal until the nexus
/// allows removal, the nexus ends, or the unit is reset.
record PreventAllowMediumRemoval(Readiness readiness) implements BriefCommand {
  private static final int PREVENT = 4;
  private static final int PREVENT_MASK = 0x03;
  private static final int ALLOWED = 0;
  private static final int PREVENTED = 1;

  @Override
  public Response run(Task task) {
    return switch (task.cdb().get(PREVENT) & PREVENT_MASK) {
      case ALLOWED -> {
        readiness.allow(task.nexus());
        yield Response.GOOD;
      }
      case PREVENTED -> {
        readiness.prevent(task.nexus());
        yield Response.GOOD;
      }
      default -> Response.invalidField(PREVENT);
    };
  }
}
