package dev.pvcpopulators.iscsitarget.unit;

import dev.pvcpopulators.iscsitarget.scsi.TaskAttribute;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/// The task set of a logical unit, for all nexuses (SAM-5, chapter 8). A SIMPLE or ACA task waits
/// if, and only if, an ORDERED task is before it. An ORDERED task waits for all tasks before it. A
/// HEAD OF QUEUE task is placed before all other tasks and never waits.
final class TaskSet {
  private final LinkedHashSet<UnitTask> members = new LinkedHashSet<>();
  private int ordered;
  private int blocked;

  /// Adds a task. If the task has to wait, sets [UnitTask#turn], which completes at the end of the
  /// wait.
  synchronized void enter(UnitTask task) {
    boolean waits =
        switch (task.attribute()) {
          case SIMPLE, ACA -> ordered > 0;
          case ORDERED -> !members.isEmpty();
          case HEAD_OF_QUEUE -> false;
        };
    if (task.attribute() == TaskAttribute.ORDERED) {
      ordered++;
    }
    if (waits) {
      task.turn = new CompletableFuture<>();
      blocked++;
    }
    if (task.attribute() == TaskAttribute.HEAD_OF_QUEUE) {
      members.addFirst(task);
    } else {
      members.addLast(task);
    }
  }

  /// Removes a task if it is in the set, and releases the tasks that no longer have to wait.
  void leave(UnitTask task) {
    List<CompletableFuture<Void>> turns;
    synchronized (this) {
      if (!members.remove(task)) {
        return;
      }
      if (task.attribute() == TaskAttribute.ORDERED) {
        ordered--;
      }
      if (task.blocked()) {
        task.released = true;
        blocked--;
      }
      if (members.isEmpty()) {
        notifyAll();
      }
      if (blocked == 0) {
        return;
      }
      turns = unblocked();
    }
    // The futures are completed after the lock is released, because their continuations run on this
    // thread.
    turns.forEach(turn -> turn.complete(null));
  }

  /// Finds the waiting tasks that may run now, sets their `released` to true, and returns their
  /// futures. These tasks are the waiting tasks before the first ORDERED task, and the ORDERED task
  /// itself if no task is before it.
  private List<CompletableFuture<Void>> unblocked() {
    List<CompletableFuture<Void>> turns = new ArrayList<>();
    for (UnitTask task : members) {
      boolean barrier = task.attribute() == TaskAttribute.ORDERED;
      if (task.blocked() && (!barrier || task.equals(members.getFirst()))) {
        task.released = true;
        blocked--;
        CompletableFuture<Void> turn = task.turn;
        if (turn != null) {
          turns.add(turn);
        }
      }
      if (barrier) {
        break;
      }
    }
    return turns;
  }

  /// Returns the tasks that are in the set now.
  synchronized List<UnitTask> tasks() {
    return List.copyOf(members);
  }

  /// Waits until the set is empty, the time is over, or the thread is interrupted.
  synchronized void awaitEmpty(Duration longest) {
    long left = longest.toNanos();
    long end = System.nanoTime() + left;
    try {
      while (!members.isEmpty() && left > 0) {
        TimeUnit.NANOSECONDS.timedWait(this, left);
        left = end - System.nanoTime();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
