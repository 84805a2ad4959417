package dev.pvcpopulators.iscsitarget.unit;

import dev.pvcpopulators.iscsitarget.scsi.Command;
import dev.pvcpopulators.iscsitarget.scsi.Response;
import dev.pvcpopulators.iscsitarget.scsi.Task;
import java.io.IOException;
import java.nio.ByteBuffer;

/// A command that takes nothing from the initiator and waits for nothing.
@FunctionalInterface
interface BriefCommand extends Command {
  @Override
  Response run(Task task) throws IOException;

  @Override
  default boolean brief(ByteBuffer cdb) {
    return true;
  }
}
