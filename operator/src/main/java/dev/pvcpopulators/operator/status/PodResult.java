package dev.pvcpopulators.operator.status;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pvcpopulators.operator.api.DiskPopulationStatus.Failure;
import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The result of a pod's container: its exit code, and the status document in the last line of its
/// termination message.
///
/// @param exitCode exit code of the container; this and the other numbers are -1 if unknown
/// @param bytesIn bytes received
/// @param failure the failure; null if the exit code is 0
public record PodResult(
    int exitCode,
    long bytesIn,
    long bytesOut,
    long totalBytes,
    long virtualSize,
    @Nullable String sourceDigest,
    @Nullable Failure failure) {
  /// Exit codes of failures that a retry would only repeat. These are the codes that the table in
  /// dynamic-volume-api/README.md marks as not retryable, and 78 (invalid settings). The numbers
  /// are those of sysexits.h.
  public static final Set<Integer> PERMANENT = Set.of(64, 65, 66, 70, 73, 77, 78);

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String CONTAINER = "populator";
  private static final String PROBLEM = "urn:pvc-populators:problem:";
  private static final int MOST_TEXT = 1_024;

  /// Returns the result of a pod; empty if its container has not ended.
  public static Optional<PodResult> of(Pod pod) {
    if (pod.getStatus() == null || pod.getStatus().getContainerStatuses() == null) {
      return Optional.empty();
    }
    return pod.getStatus().getContainerStatuses().stream()
        .filter(container -> CONTAINER.equals(container.getName()))
        .map(ContainerStatus::getState)
        .filter(state -> state != null && state.getTerminated() != null)
        .map(state -> of(state.getTerminated()))
        .findFirst();
  }

  /// Returns whether a retry would fail again.
  public boolean permanent() {
    return PERMANENT.contains(exitCode);
  }

  /// Returns whether the volume was filled.
  public boolean succeeded() {
    return exitCode == 0;
  }

  private static PodResult of(ContainerStateTerminated ended) {
    int code = ended.getExitCode() == null ? -1 : ended.getExitCode();
    String message = ended.getMessage() == null ? "" : ended.getMessage().strip();
    JsonNode document = document(message);
    return new PodResult(
        code,
        document.path("bytesIn").asLong(-1),
        document.path("bytesOut").asLong(-1),
        document.path("totalBytes").asLong(-1),
        document.path("virtualSize").asLong(-1),
        text(document.path("sourceDigest")),
        code == 0 ? null : failure(code, message, ended.getReason(), document.path("failure")));
  }

  private static Failure failure(
      int code, String message, @Nullable String reason, JsonNode problem) {
    boolean retryable = problem.path("retryable").asBoolean(!PERMANENT.contains(code));
    String type = text(problem.path("type"));
    if (type != null && type.startsWith(PROBLEM)) {
      return new Failure(
          type.substring(PROBLEM.length()), text(problem.path("detail")), code, retryable);
    }
    // There is no status document if the container was killed, or could not start.
    String detail = message.isEmpty() ? reason : message;
    return new Failure(null, detail == null ? null : cut(detail), code, retryable);
  }

  private static JsonNode document(String message) {
    String last = message.substring(message.lastIndexOf('\n') + 1);
    try {
      return last.startsWith("{") ? JSON.readTree(last) : JSON.missingNode();
    } catch (JsonProcessingException _) {
      // The message was truncated at 4096 bytes, or written by another program. The result then has
      // the exit code and, if the container failed, the beginning of the message.
      return JSON.missingNode();
    }
  }

  private static @Nullable String text(JsonNode value) {
    return value.isTextual() ? cut(value.asText()) : null;
  }

  private static String cut(String text) {
    return text.length() <= MOST_TEXT ? text : text.substring(0, MOST_TEXT);
  }
}
