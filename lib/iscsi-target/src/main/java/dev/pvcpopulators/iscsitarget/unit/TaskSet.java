package dev.pvcpopulators.iscsitarget.unit;

import dev.pvcpopulators.iscsitarget.scsi.TaskAttribute;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// The task set of a logical unit, for all nexuses (SAM-5, chapter 8). A SIMPLE task runs at once
/// unless an ORDERED task is before it. An ORDERED task waits for all tasks before it. HEAD OF
/// QUEUE tasks are placed before all others.
///
/// It is a list linked through the tasks themselves: entering and leaving takes a few assignments
/// under a lock, without allocation.
final class TaskSet {
  private @Nullable UnitTask first;
  private @Nullable UnitTask last;
  private int count;
  private int ordered;
  private int blocked;

  /// Adds a task, and sets the future that it waits for if it has to wait.
  synchronized void enter(UnitTask task) {
    boolean waits =
        switch (task.attribute()) {
          case SIMPLE, ACA -> ordered > 0;
          case ORDERED -> count > 0;
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
      linkFirst(task);
    } else {
      linkLast(task);
    }
    count++;
    task.member = true;
  }

  private void linkFirst(UnitTask task) {
    UnitTask next = first;
    task.next = next;
    first = task;
    if (next == null) {
      last = task;
    } else {
      next.previous = task;
    }
  }

  private void linkLast(UnitTask task) {
    UnitTask previous = last;
    task.previous = previous;
    last = task;
    if (previous == null) {
      first = task;
    } else {
      previous.next = task;
    }
  }

  /// Removes a task if it is in the set; releases the tasks that waited for it.
  void leave(UnitTask task) {
    List<CompletableFuture<Void>> turns;
    synchronized (this) {
      if (!task.member) {
        return;
      }
      unlink(task);
      if (count == 0) {
        notifyAll();
      }
      if (blocked == 0) {
        return;
      }
      turns = unblocked();
    }
    // Called without the lock, because a released task may run on this thread.
    turns.forEach(turn -> turn.complete(null));
  }

  private void unlink(UnitTask task) {
    UnitTask previous = task.previous;
    UnitTask next = task.next;
    if (previous == null) {
      first = next;
    } else {
      previous.next = next;
    }
    if (next == null) {
      last = previous;
    } else {
      next.previous = previous;
    }
    task.previous = null;
    task.next = null;
    task.member = false;
    count--;
    if (task.attribute() == TaskAttribute.ORDERED) {
      ordered--;
    }
    if (task.blocked()) {
      task.released = true;
      blocked--;
    }
  }

  /// Returns the futures of the waiting tasks that may run now: the tasks before the first ORDERED
  /// task, and the ORDERED task itself if no task is before it.
  private List<CompletableFuture<Void>> unblocked() {
    List<CompletableFuture<Void>> turns = new ArrayList<>();
    for (UnitTask task = first; task != null; task = task.next) {
      boolean barrier = task.attribute() == TaskAttribute.ORDERED;
      if (task.blocked() && (!barrier || task.previous == null)) {
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
    List<UnitTask> tasks = new ArrayList<>(count);
    for (UnitTask task = first; task != null; task = task.next) {
      tasks.add(task);
    }
    return tasks;
  }

  /// Waits a limited time until the set is empty.
  ///
  /// @return false on time-out
  synchronized boolean awaitEmpty(long time, TimeUnit unit) {
    long end = System.nanoTime() + unit.toNanos(time);
    try {
      while (count > 0) {
        long left = end - System.nanoTime();
        if (left <= 0) {
          return false;
        }
        TimeUnit.NANOSECONDS.timedWait(this, left);
      }
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
