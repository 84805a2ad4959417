package dev.pvcpopulators.iscsitarget.unit;

import dev.pvcpopulators.iscsitarget.scsi.Command;
import dev.pvcpopulators.iscsitarget.scsi.CommandEntry;
import dev.pvcpopulators.iscsitarget.scsi.Response;
import dev.pvcpopulators.iscsitarget.scsi.Task;
import dev.pvcpopulators.iscsitarget.scsi.TaskAbortedException;
import dev.pvcpopulators.iscsitarget.scsi.TaskAttribute;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// A command in the task set of a logical unit.
final class UnitTask implements DispatchedCommand {
  private final ItlNexus itl;
  private final Task task;
  private final ByteBuffer cdb;
  private final long entered = System.nanoTime();

  /// Null if the unit does not have the operation code or service action.
  private final @Nullable CommandEntry command;

  /// The result of the checks before the command runs; null if it may run.
  private @Nullable Response refusal;

  /// The data that the command waits for; null if it does not wait.
  private volatile @Nullable CompletableFuture<Void> awaited;

  // Fields of the task set, under its lock.
  @Nullable UnitTask previous;
  @Nullable UnitTask next;
  @Nullable CompletableFuture<Void> turn;
  boolean released;
  boolean member;

  UnitTask(ItlNexus itl, Task task, ByteBuffer cdb, @Nullable CommandEntry command) {
    this.itl = itl;
    this.task = task;
    this.cdb = cdb;
    this.command = command;
  }

  /// Checks whether the command may run, unless it has to wait for its turn.
  void admit() {
    if (turn == null) {
      refusal = itl.unit().admission().refusal(itl, command, task, cdb);
    }
  }

  /// Returns whether the task waits for tasks before it. Called with the task set's lock held.
  boolean blocked() {
    return turn != null && !released;
  }

  TaskAttribute attribute() {
    return task.attribute();
  }

  ItlNexus itl() {
    return itl;
  }

  Task task() {
    return task;
  }

  @Override
  public @Nullable CompletableFuture<Void> arrival() {
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
    }
    return data;
  }

  /// Returns whether the task waits for missing data.
  boolean waits() {
    CompletableFuture<Void> data = awaited;
    return data != null && !data.isDone();
  }

  @Override
  public boolean brief() {
    return refusal != null || command == null || command.command().brief(cdb);
  }

  @Override
  public Response run() throws TaskAbortedException {
    try {
      if (task.aborted()) {
        throw new TaskAbortedException();
      }
      Response refused =
          turn == null ? refusal : itl.unit().admission().refusal(itl, command, task, cdb);
      if (refused != null || command == null) {
        return refused == null ? Admission.UNKNOWN_OPERATION_CODE : refused;
      }
      Command body = command.command();
      Response response = body.run(task);
      if (task.aborted()) {
        throw new TaskAbortedException();
      }
      itl.unit().counters().count(command, cdb, response, System.nanoTime() - entered);
      return response;
    } catch (TaskAbortedException e) {
      throw e;
    } catch (IOException e) {
      return itl.unit().failures().response(e, command);
    } catch (RuntimeException e) {
      return itl.unit().failures().bug(e, command);
    } finally {
      drop();
    }
  }

  @Override
  public void expire() {
    itl.unit().failures().late();
    drop();
  }

  @Override
  public void drop() {
    itl.unit().taskSet().leave(this);
  }
}
