package dev.pvcpopulators.iscsitarget.scsi;

import java.io.IOException;
import java.nio.ByteBuffer;

/// A command that receives no data from the initiator and is always brief ([Command#brief]).
@FunctionalInterface
public interface BriefCommand extends Command {
  @Override
  Response run(Task task) throws IOException;

  @Override
  default boolean brief(ByteBuffer cdb) {
    return true;
  }
}
