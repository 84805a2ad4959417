package dev.pvcpopulators.volume;

import java.util.ArrayList;
import java.util.List;

/// Tells a creation that nobody wants its volume any more. Thread-safe.
public final class Cancellation {
  private final List<Runnable> callbacks = new ArrayList<>();
  private volatile boolean cancelled;

  /// True once cancelled, for good.
  public boolean cancelled() {
    return cancelled;
  }

  /// Ends the caller's work when cancelled.
  ///
  /// @throws VolumeException with [Failure.Cancelled]
  public void check() throws VolumeException {
    if (cancelled) {
      throw new VolumeException(new Failure.Cancelled("The creation was cancelled"));
    }
  }

  /// Runs the callback when cancelled, at once where that has happened. It runs on the cancelling
  /// thread: let it close or wake something and return.
  ///
  /// @return takes the callback back when closed
  public Registration onCancel(Runnable callback) {
    synchronized (callbacks) {
      if (!cancelled) {
        callbacks.add(callback);
        return () -> forget(callback);
      }
    }
    callback.run();
    return () -> {};
  }

  /// Cancels; a second time does nothing.
  public void cancel() {
    List<Runnable> due;
    synchronized (callbacks) {
      if (cancelled) {
        return;
      }
      cancelled = true;
      due = List.copyOf(callbacks);
      callbacks.clear();
    }
    due.forEach(Runnable::run);
  }

  private void forget(Runnable callback) {
    synchronized (callbacks) {
      callbacks.remove(callback);
    }
  }
}
