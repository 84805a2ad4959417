package dev.pvcpopulators.operator.dynamic;

import dev.pvcpopulators.operator.api.DynamicVolumeStatus;
import dev.pvcpopulators.operator.api.DynamicVolumeStatus.Phase;
import dev.pvcpopulators.operator.api.StatusCondition;
import dev.pvcpopulators.operator.status.Conditions;
import java.time.Instant;
import java.util.List;

/// Computes the status of a dynamic volume from a report.
public final class VolumeStatusUpdate {
  private VolumeStatusUpdate() {}

  /// Returns the status after the report.
  public static DynamicVolumeStatus of(
      DynamicVolumeStatus current, VolumeReport report, Instant now) {
    ContainerAnswer.Made made = report.made();
    return new DynamicVolumeStatus(
        report.phase(),
        report.message(),
        made == null ? current.source() : made.yaml(),
        report.claimName() == null ? current.claimName() : report.claimName(),
        report.volumeName() == null ? current.persistentVolumeName() : report.volumeName(),
        made == null ? current.revision() : made.revision(),
        made == null || made.virtualSize() < 0
            ? current.virtualSize()
            : Long.valueOf(made.virtualSize()),
        report.progress() == null ? current.progress() : report.progress(),
        current.certificate(),
        conditions(current, report, now));
  }

  /// Returns a copy of the status with a certificate.
  public static DynamicVolumeStatus offered(DynamicVolumeStatus status, String certificate) {
    return new DynamicVolumeStatus(
        status.phase(),
        status.message(),
        status.source(),
        status.claimName(),
        status.persistentVolumeName(),
        status.revision(),
        status.virtualSize(),
        status.progress(),
        certificate,
        status.conditions());
  }

  private static List<StatusCondition> conditions(
      DynamicVolumeStatus current, VolumeReport report, Instant now) {
    Conditions conditions =
        new Conditions(
            current.conditions(), report.reason().name(), report.message(), now.toString());
    return List.of(
        conditions.of("Accepted", reached(conditions, report, "Accepted", Phase.Starting)),
        conditions.of("Started", reached(conditions, report, "Started", Phase.Creating)),
        conditions.of("Created", reached(conditions, report, "Created", Phase.Publishing)),
        conditions.of("Published", reached(conditions, report, "Published", Phase.Ready)),
        conditions.of("Ready", report.phase() == Phase.Ready));
  }

  /// Returns whether a condition holds after the report. In the phases Failed and Deleting, the
  /// condition stays as it was. In the other phases, it holds from the phase `from` on.
  private static boolean reached(
      Conditions conditions, VolumeReport report, String type, Phase from) {
    return switch (report.phase()) {
      case Failed, Deleting -> conditions.held(type);
      case Pending, Starting, Creating, Publishing, Ready -> report.phase().compareTo(from) >= 0;
    };
  }
}
