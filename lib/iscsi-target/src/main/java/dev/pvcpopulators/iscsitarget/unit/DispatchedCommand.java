package dev.pvcpopulators.iscsitarget.unit;

import dev.pvcpopulators.iscsitarget.scsi.Response;
import dev.pvcpopulators.iscsitarget.scsi.TaskAbortedException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// A command in the task set of its logical unit; or one without a logical unit, which is in none
/// and never waits.
@FunctionalInterface
public interface DispatchedCommand {
  /// Returns what it waits for before it can run: data that is still to arrive, or tasks before it
  /// (ORDERED).
  ///
  /// @return null for nothing. If the future fails, [#run] still gives the answer. The session
  ///   gives up after a time with BUSY, by [#expire]
  default @Nullable CompletableFuture<Void> arrival() {
    return null;
  }

  /// Whether it may run on the connection's own thread.
  default boolean brief() {
    return true;
  }

  /// Runs it and removes it from the task set. A failure of the medium becomes sense data.
  ///
  /// @throws TaskAbortedException if no answer must be sent
  Response run() throws TaskAbortedException;

  /// Removes it from the task set without running it.
  default void drop() {}

  /// As [#drop], because the data has not arrived in time.
  default void expire() {
    drop();
  }
}
