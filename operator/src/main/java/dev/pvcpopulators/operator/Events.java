package dev.pvcpopulators.operator;

import dev.pvcpopulators.operator.status.Reason;
import dev.pvcpopulators.operator.status.Report;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Clock;
import java.util.Collections;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/// Creates events about a claim or another object, and creates each event only once. The name of an
/// event is derived from its content. Therefore the API server refuses a duplicate as long as the
/// server keeps the first event. This holds even if the operator has restarted, or if another
/// replica sends the duplicate.
final class Events {
  private static final String COMPONENT = "pvc-populators";
  private static final int MOST_MESSAGE = 1_024;
  private static final int MOST_NAME = 200;
  private static final int DIGITS = 16;

  /// The maximum number of names in the cache of sent events. The cache saves requests. If the
  /// cache has evicted an event, the API server still refuses duplicates of this event.
  private static final int REMEMBERED = 4_096;

  private final KubernetesClient client;
  private final Clock clock;
  private final Set<String> told =
      Collections.synchronizedSet(
          Collections.newSetFromMap(
              new LinkedHashMap<>() {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
                  return size() > REMEMBERED;
                }
              }));

  Events(KubernetesClient client, Clock clock) {
    this.client = client;
    this.clock = clock;
  }

  /// Creates the event for a report about a claim. Does nothing if the event exists, or if the
  /// reason's kind is `SILENT`.
  void tell(PersistentVolumeClaim claim, String about, Report report) {
    tell(claim, about, report.reason().name(), report.reason().kind(), report.message());
  }

  /// Creates an event about an object. Does nothing if the event exists, or if the kind is
  /// `SILENT`. The event contains at most the first 1,024 characters of the message.
  ///
  /// @param about a text, such as a UID, that distinguishes the event from others with the same
  ///   message
  /// @throws KubernetesClientException if the API server refuses the event, or cannot be reached
  void tell(HasMetadata object, String about, String reason, Reason.Kind kind, String message) {
    if (kind == Reason.Kind.SILENT) {
      return;
    }
    String shown = message.length() <= MOST_MESSAGE ? message : message.substring(0, MOST_MESSAGE);
    String name = name(object, about, reason, shown);
    if (!told.add(name)) {
      return;
    }
    try {
      Creation.of(client.v1().events().resource(event(object, name, reason, kind, shown)));
    } catch (KubernetesClientException e) {
      told.remove(name);
      throw e;
    }
  }

  private Event event(
      HasMetadata object, String name, String reason, Reason.Kind kind, String message) {
    String now = clock.instant().truncatedTo(java.time.temporal.ChronoUnit.SECONDS).toString();
    return new EventBuilder()
        .withNewMetadata()
        .withName(name)
        .withNamespace(object.getMetadata().getNamespace())
        .endMetadata()
        .withNewInvolvedObject()
        .withApiVersion(object.getApiVersion())
        .withKind(object.getKind())
        .withNamespace(object.getMetadata().getNamespace())
        .withName(object.getMetadata().getName())
        .withUid(object.getMetadata().getUid())
        .endInvolvedObject()
        .withType(kind.type())
        .withReason(reason)
        .withMessage(message)
        .withFirstTimestamp(now)
        .withLastTimestamp(now)
        .withCount(1)
        .withNewSource()
        .withComponent(COMPONENT)
        .endSource()
        .withReportingComponent(COMPONENT)
        .withReportingInstance(COMPONENT)
        .build();
  }

  private static String name(HasMetadata object, String about, String reason, String message) {
    String said = String.join("\n", object.getMetadata().getUid(), about, reason, message);
    String objectName = object.getMetadata().getName();
    String start =
        objectName.length() <= MOST_NAME ? objectName : objectName.substring(0, MOST_NAME) + "x";
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(said.getBytes(StandardCharsets.UTF_8));
      return start + "." + HexFormat.of().formatHex(digest).substring(0, DIGITS);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every JDK has SHA-256", e);
    }
  }
}
