package dev.pvcpopulators.iscsitarget.scsi;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// What an operation code stands for in one logical unit.
@FunctionalInterface
public interface Command {
  /// Runs the command to its end.
  ///
  /// @throws TaskAbortedException where the task was aborted
  /// @throws IOException what the medium threw
  Response run(Task task) throws IOException;

  /// What the command has to wait for before [#run] is called.
  ///
  /// @return null for nothing; else see [dev.pvcpopulators.iscsitarget.medium.Medium#arrival]
  default @Nullable CompletableFuture<Void> arrival(ByteBuffer cdb) {
    return null;
  }

  /// Whether [#run] takes no longer than some copies in memory (page cache included), so that it
  /// may run on the connection's own thread. False wherever it might wait: for stable storage, for
  /// many blocks, for another task.
  default boolean brief(ByteBuffer cdb) {
    return false;
  }
}
