package dev.pvcpopulators.iscsitarget.session;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// The waiting commands of a session, and its commands that run on a separate thread, indexed by
/// initiator task tag. Thread-safe.
final class Tasks {
  private final ConcurrentHashMap<Integer, IscsiTask> byTag = new ConcurrentHashMap<>();

  /// The tasks that still hold resources, including answered tasks and tasks that will get no
  /// answer.
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

  /// Removes the tag of a task that is answered now or will get no answer. The initiator may then
  /// use the tag again.
  void answered(IscsiTask task) {
    byTag.remove(task.command().initiatorTaskTag(), task);
  }

  /// Removes a task that holds no more resources.
  void ended(IscsiTask task) {
    underWay.remove(task);
    task.ended().complete(null);
  }

  /// Aborts all tasks without notifying the initiator.
  void abort() {
    underWay.forEach(task -> task.abort(false));
  }

  /// Returns a future that completes when all tasks that were aborted before this call have ended.
  CompletableFuture<Void> abortedEnded() {
    return CompletableFuture.allOf(
        underWay.stream()
            .filter(IscsiTask::aborted)
            .map(IscsiTask::ended)
            .toArray(CompletableFuture[]::new));
  }
}
