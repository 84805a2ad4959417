package dev.pvcpopulators.iscsitarget.unit;

import dev.pvcpopulators.iscsitarget.scsi.Response;
import dev.pvcpopulators.iscsitarget.scsi.TaskAbortedException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// A command whose logical unit is known, in its task set.
public interface DispatchedCommand {
  /// What it waits for before it can run: data on its way, or tasks that come before it (ORDERED).
  ///
  /// @return null for nothing. Where the future fails, [#run] still gives the answer. The session
  ///   gives up after a time with BUSY, by [#expire]
  @Nullable CompletableFuture<Void> arrival();

  /// Whether it may run on the connection's own thread.
  boolean brief();

  /// Runs it and takes it out of the task set. What the medium throws becomes sense data.
  ///
  /// @throws TaskAbortedException where nobody is to be answered
  Response run() throws TaskAbortedException;

  /// Takes it out of the task set without having run it.
  void drop();

  /// As [#drop], because what it waits for has not come in time.
  default void expire() {
    drop();
  }
}
