package dev.pvcpopulators.iscsitarget.session;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// The commands of a session that are under way and were not done at once, by their initiator task
/// tag. Thread-safe.
final class Tasks {
  private final ConcurrentHashMap<Integer, IscsiTask> byTag = new ConcurrentHashMap<>();

  /// Those that are answered, or will not be, and still hold something.
  private final ConcurrentHashMap.KeySetView<IscsiTask, Boolean> underWay =
      ConcurrentHashMap.newKeySet();

  void add(IscsiTask task) {
    underWay.add(task);
    byTag.put(task.command().initiatorTaskTag(), task);
  }

  @Nullable IscsiTask find(int initiatorTaskTag) {
    return byTag.isEmpty() ? null : byTag.get(initiatorTaskTag);
  }

  int count() {
    return underWay.size();
  }

  /// The initiator may use the tag again.
  void answered(IscsiTask task) {
    byTag.remove(task.command().initiatorTaskTag(), task);
  }

  /// Nothing of the task is left.
  void ended(IscsiTask task) {
    underWay.remove(task);
    task.ended().complete(null);
  }

  /// Aborts all of them, and tells nobody.
  void abort() {
    underWay.forEach(task -> task.abort(false));
  }

  /// Completes when those have ended that are aborted now.
  CompletableFuture<Void> abortedEnded() {
    List<CompletableFuture<Void>> ends = new ArrayList<>();
    for (IscsiTask task : underWay) {
      if (task.aborted()) {
        ends.add(task.ended());
      }
    }
    return CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new));
  }
}
