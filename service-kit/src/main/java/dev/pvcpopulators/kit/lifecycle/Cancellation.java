package dev.pvcpopulators.kit.lifecycle;

import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.VolumeException;
import java.util.ArrayList;
import java.util.List;

/// A cancellation signal for a creation. Thread-safe.
public final class Cancellation {
  private final List<Runnable> callbacks = new ArrayList<>();
  private volatile boolean cancelled;

  /// Returns whether the creation was cancelled; a cancellation is final.
  public boolean cancelled() {
    return cancelled;
  }

  /// Throws if the creation was cancelled.
  ///
  /// @throws VolumeException with [Failure.Cancelled]
  public void check() throws VolumeException {
    if (cancelled) {
      throw new VolumeException(new Failure.Cancelled("The creation was cancelled"));
    }
  }

  /// Runs a callback when the creation is cancelled, on the thread that cancels. If the creation
  /// was cancelled already, runs the callback at once, on the caller's thread. The callback should
  /// only close or wake something.
  ///
  /// @return a registration; closing the registration removes the callback
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

  /// Cancels the creation; further calls do nothing.
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
