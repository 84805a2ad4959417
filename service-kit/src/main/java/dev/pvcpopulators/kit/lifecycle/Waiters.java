package dev.pvcpopulators.kit.lifecycle;

import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.VolumeException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/// Clients that wait for the same result. Guarded by the owner's lock. The owner answers the
/// clients after it has released this lock, because an answer runs the client's callbacks, and a
/// callback may send the next request.
final class Waiters<T> {
  private final List<CompletableFuture<T>> waiting = new ArrayList<>();

  void add(CompletableFuture<T> asking) {
    waiting.add(asking);
  }

  /// Removes the clients that have cancelled their futures or were refused.
  void sweep() {
    waiting.removeIf(CompletableFuture::isDone);
  }

  /// Adds to `answers` the actions that give the value to all waiting clients.
  void complete(T value, List<Runnable> answers) {
    for (CompletableFuture<T> asking : waiting) {
      answers.add(() -> asking.complete(value));
    }
    waiting.clear();
  }

  /// Adds to `answers` the actions that give the failure to all waiting clients.
  void fail(Failure failure, List<Runnable> answers) {
    for (CompletableFuture<T> asking : waiting) {
      answers.add(() -> asking.completeExceptionally(new VolumeException(failure)));
    }
    waiting.clear();
  }
}
