package dev.pvcpopulators.iscsitarget.medium;

import dev.pvcpopulators.iscsitarget.medium.ArrivalState.Complete;
import dev.pvcpopulators.iscsitarget.medium.ArrivalState.Discredited;
import dev.pvcpopulators.iscsitarget.medium.ArrivalState.Failed;
import dev.pvcpopulators.iscsitarget.medium.ArrivalState.Underway;
import java.io.IOException;

/// The life cycle of an arriving disk. Runs the steps that fill the disk, one at a time, and ends
/// the wait of the readers if the missing data will not arrive.
///
/// Each step that fills the disk and each change of the state runs under the lock of this object.
/// Reading the state takes no lock. Waiting readers are notified after the lock is released.
final class Arrival {
  @FunctionalInterface
  interface Step {
    void run() throws IOException;
  }

  private final Filling filling;
  private final Waiters waiters;
  private volatile ArrivalState state = ArrivalState.UNDERWAY;

  Arrival(Filling filling, Waiters waiters) {
    this.filling = filling;
    this.waiters = waiters;
  }

  ArrivalState state() {
    return state;
  }

  boolean isComplete() {
    return state instanceof Complete;
  }

  /// Executes a step that adds data of the stream, or the step that ends the stream.
  ///
  /// @throws IOException if the disk is in the state [Failed] or [Discredited], or if the step
  ///   fails. If the step fails because the stream differs from present data, the state becomes
  ///   [Discredited]
  /// @throws IllegalStateException if the disk is complete
  void fill(Step step) throws IOException {
    try {
      fillLocked(step);
    } catch (Filling.MismatchException e) {
      discredit(e);
      throw e;
    }
  }

  private synchronized void fillLocked(Step step) throws IOException {
    switch (state) {
      case Underway _ -> step.run();
      case Complete _ -> throw new IllegalStateException("The disk is already complete");
      case Failed(IOException reason) -> throw unreadable(reason);
      case Discredited(IOException reason) -> throw unreadable(reason);
    }
  }

  /// Executes a step that adds data ahead of the stream. Does nothing if the disk is already
  /// complete.
  synchronized void fillAhead(Step step) throws IOException {
    if (!isComplete()) {
      fillLocked(step);
    }
  }

  void complete() throws IOException {
    fill(() -> {
      filling.complete();
      state = ArrivalState.COMPLETE;
    });
  }

  void fail(IOException reason) {
    synchronized (this) {
      switch (state) {
        case Underway _, Failed _ -> state = new Failed(reason);
        case Complete _, Discredited _ -> {}
      }
    }
    waiters.fail(reason);
  }

  synchronized void restart(Runnable also) throws IOException {
    switch (state) {
      case Underway _, Failed _ -> filling.restart();
      case Complete _ -> throw new IllegalStateException("The disk is already complete");
      case Discredited(IOException reason) -> throw unreadable(reason);
    }
    also.run();
    state = ArrivalState.UNDERWAY;
  }

  void discredit(IOException reason) {
    synchronized (this) {
      switch (state) {
        case Underway _, Failed _ -> state = new Discredited(reason);
        case Complete _ -> throw new IllegalStateException("The disk was verified");
        case Discredited _ -> {}
      }
    }
    waiters.fail(reason);
  }

  /// Changes the state to [Discredited], even if the disk is complete.
  void close() {
    IOException reason = new IOException("The disk was closed");
    synchronized (this) {
      state = new Discredited(reason);
    }
    waiters.fail(reason);
  }

  /// Returns an exception with the given cause. Each call returns a new exception, because several
  /// threads report the same reason.
  static IOException unreadable(IOException reason) {
    return new IOException("The disk cannot be read: " + reason.getMessage(), reason);
  }
}
