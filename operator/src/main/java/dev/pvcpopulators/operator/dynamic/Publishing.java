package dev.pvcpopulators.operator.dynamic;

import dev.pvcpopulators.operator.api.DynamicVolume;
import dev.pvcpopulators.operator.api.DynamicVolumeSpec.Publish;
import dev.pvcpopulators.operator.api.DynamicVolumeStatus.Phase;
import dev.pvcpopulators.operator.child.VolumeNames;
import dev.pvcpopulators.operator.plan.Claims;
import dev.pvcpopulators.volume.IscsiSource;
import dev.pvcpopulators.volume.PvcSource;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import java.util.Optional;

/// Plans the steps that follow the container's answer, until the claim is published.
final class Publishing {
  private Publishing() {}

  static VolumePlan of(VolumeObserved seen, ContainerAnswer.Made made) {
    Optional<PersistentVolume> elsewhere =
        seen.volumes().stream()
            .filter(volume -> !IscsiVolume.leads(volume, made.source()))
            .findFirst();
    if (elsewhere.isPresent()) {
      return VolumePlan.nothing(
          VolumeReport.of(
              Phase.Failed,
              VolumeReason.SourceChanged,
              "The container's answer names another volume than before; PersistentVolume %s refers"
                      .formatted(elsewhere.get().getMetadata().getName())
                  + " to the former volume"));
    }
    return switch (made.source()) {
      case PvcSource(String claim) -> VolumePlan.nothing(ready(made).as(claim, null));
      case IscsiSource iscsi -> {
        Publish publish = seen.volume().getSpec().publish();
        yield publish == null
            ? VolumePlan.nothing(ready(made))
            : publish(seen, made, iscsi, publish);
      }
    };
  }

  private static VolumePlan publish(
      VolumeObserved seen, ContainerAnswer.Made made, IscsiSource iscsi, Publish publish) {
    DynamicVolume owner = seen.volume();
    PersistentVolumeClaim claim = seen.claim();
    if (claim != null && !VolumeNames.belongs(claim, owner)) {
      return VolumePlan.nothing(
          VolumeReport.of(
                  Phase.Failed,
                  VolumeReason.ClaimExists,
                  "There is a claim %s that the operator did not create"
                      .formatted(publish.claimName()))
              .with(made));
    }
    if (made.virtualSize() <= 0) {
      return VolumePlan.nothing(
          VolumeReport.of(
                  Phase.Failed,
                  VolumeReason.SizeUnknown,
                  "The container does not report the disk's size (virtualSize in its"
                      + " status), which a PersistentVolume needs")
              .with(made));
    }
    VolumeReport publishing =
        VolumeReport.of(
                Phase.Publishing,
                VolumeReason.Publishing,
                "The network disk becomes claim %s".formatted(publish.claimName()))
            .with(made);
    Optional<PersistentVolume> volume =
        seen.volumes().stream()
            .filter(found -> found.getMetadata().getName().equals(VolumeNames.child(owner)))
            .findFirst();
    if (volume.isEmpty()) {
      return new VolumePlan(
          new VolumeStep.CreateVolume(
              IscsiVolume.published(owner, iscsi, made.virtualSize(), publish, claim)),
          publishing);
    }
    if (claim == null) {
      return new VolumePlan(
          new VolumeStep.CreateClaim(IscsiVolume.claim(owner, made.virtualSize(), publish)),
          publishing);
    }
    return VolumePlan.nothing(
        (Claims.bound(claim) ? ready(made) : publishing)
            .as(publish.claimName(), volume.get().getMetadata().getName()));
  }

  private static VolumeReport ready(ContainerAnswer.Made made) {
    return VolumeReport.of(Phase.Ready, VolumeReason.Ready, "The volume can be used").with(made);
  }
}
