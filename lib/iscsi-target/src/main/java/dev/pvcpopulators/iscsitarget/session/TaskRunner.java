package dev.pvcpopulators.iscsitarget.session;

import dev.pvcpopulators.iscsitarget.scsi.Response;
import dev.pvcpopulators.iscsitarget.scsi.Sense;
import dev.pvcpopulators.iscsitarget.scsi.Status;
import dev.pvcpopulators.iscsitarget.scsi.TaskAbortedException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/// Runs the commands of one connection to their end, on the connection's own thread or on a virtual
/// thread. Before a command runs, it may have to wait for its turn or for missing data of the
/// medium. This wait occupies no thread.
final class TaskRunner {
  private static final System.Logger LOG = System.getLogger(TaskRunner.class.getName());

  private static final Response TASK_ABORTED = new Response(Status.TASK_ABORTED, null);

  private final PduOutput output;
  private final Tasks tasks;
  private final ScheduledExecutorService clock;
  private final Duration arrivalTimeout;
  private final Runnable broken;

  /// Creates the runner of one connection.
  ///
  /// @param broken ends the connection
  TaskRunner(
      PduOutput output,
      Tasks tasks,
      ScheduledExecutorService clock,
      Duration arrivalTimeout,
      Runnable broken) {
    this.output = output;
    this.tasks = tasks;
    this.clock = clock;
    this.arrivalTimeout = arrivalTimeout;
    this.broken = broken;
  }

  /// Runs a command on this thread. The command's output is sent with the connection's next flush.
  void runHere(IscsiTask task) {
    finish(task, respond(task));
  }

  /// Runs a command on a separate thread: at once if `arrival` is null, otherwise when `arrival`
  /// completes. If the time limit is reached or the command is aborted before `arrival` completes,
  /// ends the command without running it.
  ///
  /// @param task a task that was added to [Tasks]
  /// @param arrival the result of [IscsiTask#arrival]
  void runElsewhere(IscsiTask task, @Nullable CompletableFuture<Void> arrival) {
    if (arrival == null) {
      start(task, () -> runHere(task));
    } else {
      new Waiting(task, arrival).begin();
    }
  }

  /// Ends a command that never ran. Uses a separate thread, because the thread may wait for
  /// Data-Out PDUs of the command.
  ///
  /// @param task a task that was added to [Tasks]
  void finishElsewhere(IscsiTask task, Response response) {
    start(task, () -> finish(task, response));
  }

  private static @Nullable Response respond(IscsiTask task) {
    try {
      return task.run();
    } catch (TaskAbortedException _) { // aborted, its data cannot arrive, or the connection is lost
      return null;
    }
  }

  /// Ends a command: if a Data-Out sequence of the command is in transit, waits for its end. Then
  /// puts the answer, if there is one, into the output. For an aborted command, there is an answer
  /// only if the initiator must be notified of the abort.
  ///
  /// @param response null if the device server has no response
  void finish(IscsiTask task, @Nullable Response response) {
    Sense failure = task.releaseData();
    Response answer = response;
    if (failure != null) {
      answer = Response.check(failure);
    }
    if (task.aborted()) {
      answer = task.tellsAbort() ? TASK_ABORTED : null;
    }
    if (answer == null) {
      output.between(() -> answered(task));
    } else {
      output.complete(task, answer, () -> answered(task));
    }
  }

  private void answered(IscsiTask task) {
    tasks.answered(task);
    if (!task.command().immediate()) {
      output.window().ended();
    }
  }

  private void start(IscsiTask task, Runnable work) {
    Thread thread =
        Thread.ofVirtual()
            .name("iscsi-task")
            .unstarted(() -> {
              try {
                work.run();
                output.flush();
              } catch (Throwable e) { // OutOfMemoryError, too
                LOG.log(System.Logger.Level.ERROR, "A command failed; its connection ends", e);
                broken.run();
              } finally {
                tasks.ended(task);
              }
            });
    boolean started = false;
    try {
      thread.start();
      started = true;
    } finally {
      if (!started) {
        tasks.ended(task);
        broken.run();
      }
    }
  }

  /// A command that waits for its turn or for missing data. The first of these events ends the
  /// wait: `arrival` completes, the time limit is reached, or the task is aborted.
  private final class Waiting {
    private final IscsiTask task;
    private final CompletableFuture<Void> arrival;
    private final AtomicBoolean over = new AtomicBoolean();

    Waiting(IscsiTask task, CompletableFuture<Void> arrival) {
      this.task = task;
      this.arrival = arrival;
    }

    void begin() {
      Future<?> timer =
          clock.schedule(
              () -> giveUp(task::expire, Response.BUSY),
              arrivalTimeout.toMillis(),
              TimeUnit.MILLISECONDS);
      task.whenAborted(() -> {
        // `drop` removes the command from its task set, and `arrival` may then never complete. So
        // this hook ends the wait.
        timer.cancel(false);
        giveUp(task::drop, null);
      });
      CompletableFuture<Void> _ =
          arrival.whenComplete((_, _) -> {
            timer.cancel(false);
            if (over.compareAndSet(false, true)) {
              start(task, () -> runHere(task));
            }
          });
    }

    private void giveUp(Runnable leave, @Nullable Response response) {
      if (over.compareAndSet(false, true)) {
        start(
            task,
            () -> {
              leave.run();
              finish(task, response);
            });
      }
    }
  }
}
