package dev.pvcpopulators.iscsitarget.session;

import dev.pvcpopulators.iscsitarget.pdu.PduFormat;
import dev.pvcpopulators.iscsitarget.pdu.RejectReason;
import dev.pvcpopulators.iscsitarget.pdu.TaskManagementRequest;
import dev.pvcpopulators.iscsitarget.pdu.TaskManagementResponse;
import dev.pvcpopulators.iscsitarget.scsi.Nexus;
import dev.pvcpopulators.iscsitarget.unit.ScsiTarget;
import dev.pvcpopulators.iscsitarget.unit.TaskManagement;
import dev.pvcpopulators.iscsitarget.unit.TaskManagementAnswer;
import dev.pvcpopulators.iscsitarget.wire.ReceivedPdu;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Task management (RFC 7143, sections 11.5 and 11.6). A non-immediate function is executed in the
/// order of CmdSN, but does not wait for running commands. The answer to the function is sent after
/// the end of all tasks that the function aborts. Later PDUs do not wait for that answer. Used by
/// the connection's thread only.
final class TaskManagementExchange {
  /// While at least this number of task management requests wait for tasks to end, immediate task
  /// management requests are rejected, because the command window limits only non-immediate
  /// requests.
  static final int MOST_WAITING = 16;

  private final Nexus nexus;
  private final PduOutput output;
  private final Tasks tasks;
  private final ScsiTarget device;
  private final Supplier<List<Tasks>> tasksOfTarget;
  private final AtomicInteger waiting = new AtomicInteger();

  /// Creates the task management of one connection.
  ///
  /// @param tasksOfTarget supplies the tasks of all sessions with the target, including the session
  ///   of this connection
  TaskManagementExchange(
      Nexus nexus,
      PduOutput output,
      Tasks tasks,
      ScsiTarget device,
      Supplier<List<Tasks>> tasksOfTarget) {
    this.nexus = nexus;
    this.output = output;
    this.tasks = tasks;
    this.device = device;
    this.tasksOfTarget = tasksOfTarget;
  }

  /// Executes a request.
  ///
  /// A cold reset resets the units like a warm reset and keeps the sessions, although RFC 7143,
  /// section 11.5.1, requires that the sessions end. Initiators that use a cold reset (libiscsi's
  /// tests) expect an answer and a session that continues. Also, an initiator must not be able to
  /// end the sessions of other initiators.
  ///
  /// @return the reason to reject the PDU; null if it is accepted
  @Nullable RejectReason request(ReceivedPdu pdu) {
    TaskManagementRequest request = TaskManagementRequest.read(pdu.header());
    if (request.initiatorTaskTag() == PduFormat.NO_TAG) {
      return RejectReason.INVALID_PDU_FIELD;
    }
    if (request.immediate() && waiting.get() >= MOST_WAITING) {
      return RejectReason.TOO_MANY_IMMEDIATE_COMMANDS;
    }
    switch (request.function()) {
      case TaskManagementRequest.ABORT_TASK -> abortTask(request);
      case TaskManagementRequest.ABORT_TASK_SET -> manage(request, TaskManagement.ABORT_TASK_SET);
      case TaskManagementRequest.CLEAR_ACA -> manage(request, TaskManagement.CLEAR_ACA);
      case TaskManagementRequest.CLEAR_TASK_SET -> manage(request, TaskManagement.CLEAR_TASK_SET);
      case TaskManagementRequest.LOGICAL_UNIT_RESET ->
          manage(request, TaskManagement.LOGICAL_UNIT_RESET);
      case TaskManagementRequest.TARGET_WARM_RESET ->
          manage(request, TaskManagement.TARGET_WARM_RESET);
      case TaskManagementRequest.TARGET_COLD_RESET ->
          manage(request, TaskManagement.TARGET_COLD_RESET);
      case TaskManagementRequest.TASK_REASSIGN ->
          answer(request, TaskManagementAnswer.REASSIGNMENT_NOT_SUPPORTED);
      default -> answer(request, TaskManagementAnswer.NOT_SUPPORTED);
    }
    return null;
  }

  private void abortTask(TaskManagementRequest request) {
    IscsiTask task = tasks.find(request.referencedTaskTag());
    if (task != null) {
      task.abort(false);
      answerAfter(task.ended(), request, TaskManagementAnswer.COMPLETE);
    } else {
      answer(
          request,
          willNotCome(request) ? TaskManagementAnswer.COMPLETE : TaskManagementAnswer.NO_SUCH_TASK);
    }
  }

  /// Returns whether the referenced command was sent before the request and has not been delivered.
  /// If so, cancels the command, which then counts as received and aborted (RFC 7143, section
  /// 11.6.1).
  private boolean willNotCome(TaskManagementRequest request) {
    int cmdSn = request.refCmdSn();
    if (request.cmdSn() - cmdSn <= 0 || !output.window().contains(cmdSn)) {
      return false;
    }
    output.window().cancel(cmdSn);
    return true;
  }

  private void manage(TaskManagementRequest request, TaskManagement function) {
    TaskManagementAnswer answer = device.manage(nexus, function, request.lun());
    List<CompletableFuture<Void>> ends = new ArrayList<>();
    // [Tasks] does not contain the commands that run on the threads of their connections, so a
    // future of the device reports the end of their changes.
    ends.add(device.changesEnded(nexus, function, request.lun()));
    for (Tasks each : tasksOfTarget.get()) {
      ends.add(each.abortedEnded());
    }
    answerAfter(CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new)), request, answer);
  }

  private void answerAfter(
      CompletableFuture<Void> ends, TaskManagementRequest request, TaskManagementAnswer answer) {
    if (ends.isDone()) {
      answer(request, answer);
    } else {
      waiting.incrementAndGet();
      CompletableFuture<Void> _ =
          ends.thenRunAsync(
              () -> {
                waiting.decrementAndGet();
                answer(request, answer);
                output.flush();
              },
              work -> Thread.ofVirtual().name("iscsi-task-management").start(work));
    }
  }

  private void answer(TaskManagementRequest request, TaskManagementAnswer answer) {
    output.status(
        (into, numbers) ->
            new TaskManagementResponse(answer.code(), request.initiatorTaskTag(), numbers)
                .write(into),
        PduOutput.NOTHING,
        () -> {
          if (!request.immediate()) {
            output.window().ended();
          }
        });
  }
}
