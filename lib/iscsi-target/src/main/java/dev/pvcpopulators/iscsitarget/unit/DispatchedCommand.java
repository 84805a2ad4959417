package dev.pvcpopulators.iscsitarget.unit;

import dev.pvcpopulators.iscsitarget.scsi.Response;
import dev.pvcpopulators.iscsitarget.scsi.TaskAbortedException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// A command in the task set of its logical unit. A command without a logical unit is in no task
/// set and never waits.
@FunctionalInterface
public interface DispatchedCommand {
  /// Returns a future to wait for before the command can run: for missing data, or for tasks before
  /// it (ORDERED).
  ///
  /// @return null if there is nothing to wait for. If the future fails, [#run] still returns the
  ///   answer. After a time limit the session answers BUSY and calls [#expire]
  default @Nullable CompletableFuture<Void> arrival() {
    return null;
  }

  /// Returns whether the command may run on the connection's own thread.
  default boolean brief() {
    return true;
  }

  /// Runs the command and removes it from the task set. A failure of the medium becomes sense data.
  ///
  /// @throws TaskAbortedException if no answer must be sent
  Response run() throws TaskAbortedException;

  /// Removes the command from the task set without running it.
  default void drop() {}

  /// Does the same as [#drop], if the data has not arrived in time.
  default void expire() {
    drop();
  }
}
