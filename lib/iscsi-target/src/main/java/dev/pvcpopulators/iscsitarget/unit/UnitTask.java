package dev.pvcpopulators.iscsitarget.unit;

import dev.pvcpopulators.iscsitarget.scsi.CommandEntry;
import dev.pvcpopulators.iscsitarget.scsi.Response;
import dev.pvcpopulators.iscsitarget.scsi.Task;
import dev.pvcpopulators.iscsitarget.scsi.TaskAbortedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// A command, from its dispatch ([ScsiTarget#dispatch]) to its end. A command for a logical unit is
/// in the task set of the unit. A command that is for no logical unit is in no task set. The
/// transport's subclass adds the initiator's buffers.
public abstract class UnitTask implements Task {
  private final ByteBuffer cdb;
  private final long created = System.nanoTime();

  /// The logical unit's state for the nexus; null if the command is for no logical unit.
  private @Nullable ItlNexus itl;

  /// Answers the command if the command is for no logical unit; null for other commands.
  private @Nullable Outside outside;

  /// The command's entry in the unit's table; null if the unit does not have the operation code or
  /// service action.
  private @Nullable CommandEntry command;

  /// The result of the checks at dispatch; null if the command may run or has to wait for its turn.
  private @Nullable Response refusal;

  /// Completes when the missing data has arrived: the data that the command needs and the medium
  /// does not have yet. Null if the command has not waited for data.
  private volatile @Nullable CompletableFuture<Void> awaited;

  private volatile boolean dropped;

  // The task set changes `turn` and `released` under its lock.
  @Nullable CompletableFuture<Void> turn;
  boolean released;

  /// Creates a command that is in no task set yet.
  ///
  /// @param cdb the whole CDB, read-only, from position 0
  protected UnitTask(ByteBuffer cdb) {
    this.cdb = cdb;
  }

  /// Answers a command that enters no task set: the command's LUN has no logical unit that the
  /// nexus can use, or is the LUN of the well-known logical unit REPORT LUNS.
  @FunctionalInterface
  interface Outside {
    Response run(Task task) throws TaskAbortedException;
  }

  final void dispatchedOutside(Outside answer) {
    outside = answer;
  }

  /// Enters the task set of a logical unit. If the command does not have to wait for its turn,
  /// checks whether it may run.
  final void dispatched(ItlNexus at) {
    itl = at;
    command = at.unit().table.of(cdb);
    at.unit().taskSet.enter(this);
    if (turn == null) {
      refusal = refusal(at);
    }
  }

  private @Nullable Response refusal(ItlNexus at) {
    return at.unit().admission.refusal(at, command, this, cdb);
  }

  /// Returns whether the task waits for tasks before it. Called with the task set's lock held.
  final boolean blocked() {
    return turn != null && !released;
  }

  /// Returns the logical unit's state for the nexus. Called only for a task in a task set.
  final ItlNexus itl() {
    return Objects.requireNonNull(itl);
  }

  @Override
  public final ByteBuffer cdb() {
    return cdb.duplicate();
  }

  /// Returns a future that completes when the command can run: when the tasks that block the
  /// command have ended, and the data that the command needs has arrived in the medium.
  ///
  /// @return null if there is nothing to wait for. The session calls [#run] even if the future
  ///   fails. If the future does not complete within a time limit, the session calls [#expire]
  ///   instead of [#run], and answers BUSY
  public final @Nullable CompletableFuture<Void> arrival() {
    CompletableFuture<Void> before = turn;
    if (before != null && !before.isDone()) {
      return before.thenCompose(done -> {
        CompletableFuture<Void> data = data();
        return data == null ? CompletableFuture.completedFuture(null) : data;
      });
    }
    return data();
  }

  private @Nullable CompletableFuture<Void> data() {
    CommandEntry known = command;
    if (known == null || refusal != null) {
      return null;
    }
    CompletableFuture<Void> data = known.command().arrival(cdb);
    if (data != null) {
      awaited = data;
      if (dropped) {
        data.cancel(false);
      }
    }
    return data;
  }

  /// Returns whether the task waits for data that the medium does not have yet.
  final boolean waits() {
    CompletableFuture<Void> data = awaited;
    return data != null && !data.isDone();
  }

  /// Returns whether the command may run on the connection's own thread.
  public final boolean brief() {
    return refusal != null || command == null || command.command().brief(cdb);
  }

  /// Runs the command and removes it from the task set. A failure of the medium or a defect of this
  /// program is reported in the response.
  ///
  /// @throws TaskAbortedException if the command was aborted, the initiator's data cannot arrive,
  ///   or the connection is lost
  public final Response run() throws TaskAbortedException {
    ItlNexus at = itl;
    if (at == null) {
      return Objects.requireNonNull(outside).run(this);
    }
    try {
      checkAborted();
      Response refused = turn == null ? refusal : refusal(at);
      if (refused != null || command == null) {
        return refused == null ? Admission.UNKNOWN_OPERATION_CODE : refused;
      }
      Response response = command.command().run(this);
      checkAborted();
      at.unit().outcomes.ended(command, cdb, response, System.nanoTime() - created);
      return response;
    } catch (TaskAbortedException e) {
      throw e;
    } catch (IOException e) {
      return at.unit().outcomes.failed(e, command);
    } catch (RuntimeException e) {
      return at.unit().outcomes.defect(e, command);
    } finally {
      drop();
    }
  }

  /// Removes the command from its task set, if it is in a task set, and ends the wait for missing
  /// data.
  public final void drop() {
    dropped = true;
    CompletableFuture<Void> data = awaited;
    if (data != null) {
      data.cancel(false);
    }
    if (itl != null) {
      itl.unit().taskSet.leave(this);
    }
  }

  /// Removes the command like [#drop], and records that the command waited too long for its turn or
  /// for missing data.
  public final void expire() {
    if (itl != null) {
      itl.unit().outcomes.late();
    }
    drop();
  }
}
