package dev.pvcpopulators.operator;

import dev.pvcpopulators.operator.api.DynamicVolume;
import dev.pvcpopulators.operator.child.Tokens;
import dev.pvcpopulators.operator.dynamic.Heard;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The conversations with the containers of dynamic volumes, one each, on threads of their own.
/// What was heard is no memory: after a restart each container is asked again and says the same.
final class Conversations {
  private final Tokens tokens;
  private final Duration limit;
  private final Map<String, Conversation> conversations = new ConcurrentHashMap<>();
  private volatile Consumer<DynamicVolume> listener = _ -> {};

  /// @param limit how long a container may take for its first answer
  Conversations(Tokens tokens, Duration limit) {
    this.tokens = tokens;
    this.limit = limit;
  }

  /// Sets who is told that something else was heard.
  void listen(Consumer<DynamicVolume> told) {
    listener = told;
  }

  /// Asks the container for the volume or, where the dynamic volume is being deleted, for its
  /// removal; a conversation about the same with the same container goes on.
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
              before.end();
              return made;
            });
    if (made.equals(kept)) {
      made.start();
    }
  }

  /// What one of these pods' containers has said last; null where none of them was asked.
  @Nullable Heard heard(DynamicVolume volume, List<Pod> pods) {
    Conversation conversation = conversations.get(volume.getMetadata().getUid());
    return conversation != null
            && pods.stream().anyMatch(pod -> conversation.instance().equals(instance(volume, pod)))
        ? conversation.heard()
        : null;
  }

  /// Ends the conversation.
  void leave(DynamicVolume volume) {
    Conversation conversation = conversations.remove(volume.getMetadata().getUid());
    if (conversation != null) {
      conversation.end();
    }
  }

  /// What sets a conversation apart: its subject, and the container from one start to the next.
  private static String instance(DynamicVolume volume, Pod pod) {
    int restarts =
        pod.getStatus() == null || pod.getStatus().getContainerStatuses() == null
            ? 0
            : pod.getStatus().getContainerStatuses().stream()
                .map(ContainerStatus::getRestartCount)
                .filter(Objects::nonNull)
                .mapToInt(Integer::intValue)
                .sum();
    boolean removal = volume.getMetadata().getDeletionTimestamp() != null;
    return "%s/%d/%s".formatted(pod.getMetadata().getUid(), restarts, removal ? "remove" : "make");
  }
}
