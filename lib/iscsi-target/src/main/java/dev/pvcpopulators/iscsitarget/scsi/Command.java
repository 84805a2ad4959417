package dev.pvcpopulators.iscsitarget.scsi;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// The implementation of an operation code in one logical unit.
@FunctionalInterface
public interface Command {
  /// Runs the command to its end.
  ///
  /// @throws TaskAbortedException if the task was aborted
  /// @throws CheckConditionException if the command is refused
  /// @throws IOException if the medium failed
  Response run(Task task) throws IOException;

  /// Returns the future that the caller waits for before it calls [#run].
  ///
  /// @return null if there is nothing to wait for; else see
  ///   [dev.pvcpopulators.iscsitarget.medium.Medium#arrival]
  default @Nullable CompletableFuture<Void> arrival(ByteBuffer cdb) {
    return null;
  }

  /// Returns whether [#run] takes no longer than a few copies between memory and the page cache.
  /// Such a command may run on the connection's own thread. Returns false if [#run] might wait long
  /// for stable storage, for many blocks, or for another task.
  default boolean brief(ByteBuffer cdb) {
    return false;
  }
}
