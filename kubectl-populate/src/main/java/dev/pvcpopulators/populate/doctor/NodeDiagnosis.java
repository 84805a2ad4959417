package dev.pvcpopulators.populate.doctor;

import dev.pvcpopulators.operator.api.DiskPopulation;
import io.fabric8.kubernetes.api.model.Event;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// The findings about nodes. The API server does not know the settings of a node. Therefore these
/// findings come only from earlier failures in the namespace.
final class NodeDiagnosis {
  /// The reasons of events that report a failure to attach, map or mount a volume of a pod.
  private static final Set<String> VOLUME_FAILURES =
      Set.of("FailedMount", "FailedMapVolume", "FailedAttachVolume");

  /// Matches words in messages of open-iscsi and of the kubelet's plugin for iSCSI volumes. The
  /// word `iscsi` alone does not match, because a name in a message, such as the name of a missing
  /// Secret, may contain this word.
  private static final Pattern INITIATOR =
      Pattern.compile("iscsiadm|iscsid|iscsi_tcp|iscsi:|iscsi disk");

  private NodeDiagnosis() {}

  static List<Finding> of(Surroundings seen) {
    return Stream.concat(
            seen.populations().stream()
                .filter(NodeDiagnosis::mayNotOpenDevice)
                .findFirst()
                .map(NodeDiagnosis::deviceOwner)
                .stream(),
            seen.events().stream()
                .filter(NodeDiagnosis::cannotLogIn)
                .findFirst()
                .map(NodeDiagnosis::initiator)
                .stream())
        .toList();
  }

  private static boolean mayNotOpenDevice(DiskPopulation population) {
    String message = message(population);
    return message.contains("Cannot open /dev/") && message.contains("EACCES");
  }

  private static String message(DiskPopulation population) {
    return Optional.ofNullable(population.getStatus()).map(status -> status.message()).orElse("");
  }

  private static Finding deviceOwner(DiskPopulation population) {
    return new Finding(
        "Container runtime",
        "expected it to give devices to the user of a pod, found DiskPopulation %s: %s"
            .formatted(population.getMetadata().getName(), message(population)),
        "set device_ownership_from_security_context on the nodes (kubernetes/README.md, \"Block"
            + " volumes\")");
  }

  private static boolean cannotLogIn(Event event) {
    return VOLUME_FAILURES.contains(String.valueOf(event.getReason()))
        && INITIATOR.matcher(String.valueOf(event.getMessage())).find();
  }

  private static Finding initiator(Event event) {
    String node = event.getSource() == null ? null : event.getSource().getHost();
    return new Finding(
        "Node " + Objects.requireNonNullElse(node, "of pod " + event.getInvolvedObject().getName()),
        "expected it to log in to an iSCSI LUN, found for pod %s: %s"
            .formatted(event.getInvolvedObject().getName(), event.getMessage()),
        "install open-iscsi on the node, load the module iscsi_tcp, and permit connections to the"
            + " LUN's address (kubernetes/README.md, \"iSCSI\")");
  }
}
