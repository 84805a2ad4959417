package dev.pvcpopulators.volume;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/// Those who asked for the same thing and have no answer yet. Guarded by its owner's lock; the
/// answers themselves are given later and outside that lock, because whoever is answered may ask
/// again at once.
final class Waiters<T> {
  private final List<CompletableFuture<T>> waiting = new ArrayList<>();

  void add(CompletableFuture<T> asking) {
    waiting.add(asking);
  }

  /// Forgets those who gave up waiting.
  void sweep() {
    waiting.removeIf(CompletableFuture::isDone);
  }

  /// Answers all, when `answers` are run.
  void complete(T value, List<Runnable> answers) {
    for (CompletableFuture<T> asking : waiting) {
      answers.add(() -> asking.complete(value));
    }
    waiting.clear();
  }

  /// Turns all away, when `answers` are run.
  void fail(Failure failure, List<Runnable> answers) {
    for (CompletableFuture<T> asking : waiting) {
      answers.add(() -> asking.completeExceptionally(new VolumeException(failure)));
    }
    waiting.clear();
  }
}
