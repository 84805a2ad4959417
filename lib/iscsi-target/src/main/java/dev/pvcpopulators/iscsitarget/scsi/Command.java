package dev.pvcpopulators.iscsitarget.scsi;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// The implementation of a SCSI command in one logical unit.
@FunctionalInterface
public interface Command {
  /// Runs the command to its end.
  ///
  /// @throws TaskAbortedException if the task was aborted
  /// @throws CheckConditionException if the command is refused
  /// @throws IOException if the medium failed
  Response run(Task task) throws IOException;

  /// Returns the future that the caller must wait for before the call of [#run].
  ///
  /// @return null if there is nothing to wait for; else a future with the properties that
  ///   [dev.pvcpopulators.iscsitarget.medium.Medium#arrival] states
  default @Nullable CompletableFuture<Void> arrival(ByteBuffer cdb) {
    return null;
  }

  /// Returns whether [#run] takes no longer than a few copies between memory and the page cache. If
  /// so, the command may run on the connection's own thread. Returns false if [#run] might wait for
  /// stable storage or for another task, or if the command accesses many blocks.
  default boolean brief(ByteBuffer cdb) {
    return false;
  }
}
