package dev.pvcpopulators.operator;

import dev.pvcpopulators.operator.api.DynamicVolume;
import dev.pvcpopulators.operator.child.Tokens;
import dev.pvcpopulators.operator.dynamic.ContainerAnswer;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The conversations with the containers of dynamic volumes, each on its own thread. The state of
/// the conversations is kept only in memory: after a restart, the operator asks each container
/// again.
final class Conversations {
  private final Tokens tokens;
  private final Duration limit;
  private final Map<String, Conversation> conversations = new ConcurrentHashMap<>();
  private volatile Consumer<DynamicVolume> listener = _ -> {};

  /// Creates an empty set of conversations.
  ///
  /// @param limit time limit of a container's first answer
  Conversations(Tokens tokens, Duration limit) {
    this.tokens = tokens;
    this.limit = limit;
  }

  /// Sets the listener for changes of a container's state.
  void listen(Consumer<DynamicVolume> told) {
    listener = told;
  }

  /// Starts a conversation that requests the volume, or the removal of the volume if the dynamic
  /// volume is being deleted. Keeps an existing conversation with the same container about the same
  /// request. Replaces any other conversation about the dynamic volume.
  void converse(DynamicVolume volume, Pod pod) {
    Conversation made =
        new Conversation(
            volume,
            pod,
            instance(volume, pod),
            new Conversation.Manner(tokens.volume(volume), limit, () -> listener.accept(volume)));
    Conversation kept =
        conversations.merge(
            volume.getMetadata().getUid(),
            made,
            (before, _) -> {
              if (before.instance().equals(made.instance())) {
                return before;
              }
              made.replace(before);
              return made;
            });
    if (made.equals(kept)) {
      made.start();
    }
  }

  /// Returns the last answer from a container of the given pods; null if there is no conversation
  /// with any of these containers.
  @Nullable ContainerAnswer heard(DynamicVolume volume, List<Pod> pods) {
    Conversation conversation = conversations.get(volume.getMetadata().getUid());
    return conversation != null
            && pods.stream().anyMatch(pod -> conversation.instance().equals(instance(volume, pod)))
        ? conversation.heard()
        : null;
  }

  /// Ends the conversation about a dynamic volume, if there is one.
  void leave(DynamicVolume volume) {
    Conversation conversation = conversations.remove(volume.getMetadata().getUid());
    if (conversation != null) {
      conversation.end();
    }
  }

  /// Returns the key of a conversation: the pod, the number of its containers' restarts, and
  /// whether the conversation makes or removes the volume.
  private static String instance(DynamicVolume volume, Pod pod) {
    int restarts =
        pod.getStatus() == null || pod.getStatus().getContainerStatuses() == null
            ? 0
            : pod.getStatus().getContainerStatuses().stream()
                .map(ContainerStatus::getRestartCount)
                .filter(Objects::nonNull)
                .mapToInt(Integer::intValue)
                .sum();
    boolean removal = volume.isMarkedForDeletion();
    return "%s/%d/%s".formatted(pod.getMetadata().getUid(), restarts, removal ? "remove" : "make");
  }
}
