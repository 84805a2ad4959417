package dev.pvcpopulators.kubernetes.check;

import dev.pvcpopulators.kubernetes.manifest.ContainerSettings;
import dev.pvcpopulators.kubernetes.manifest.PopulatorService;
import dev.pvcpopulators.kubernetes.manifest.Rendering;
import dev.pvcpopulators.kubernetes.manifest.Resource;
import dev.pvcpopulators.kubernetes.manifest.ServiceContainer;
import dev.pvcpopulators.kubernetes.manifest.Surroundings;
import dev.pvcpopulators.kubernetes.manifest.Workload;
import dev.pvcpopulators.registrystreamiscsi.settings.RegistryStreamIscsiSettings;
import io.fabric8.kubernetes.api.model.ISCSIPersistentVolumeSource;
import io.fabric8.kubernetes.api.model.ObjectReference;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimSpec;
import io.fabric8.kubernetes.api.model.PersistentVolumeSpec;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Service;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/// Checks that an iSCSI PersistentVolume names the LUN that the target in the same rendering
/// exports. Also checks that the volume's claim can bind to the volume. The API server accepts a
/// claim and a volume even if they do not match.
final class IscsiVolumes implements Check {
  @Override
  public List<String> faults(Rendering rendering, Surroundings surroundings) {
    List<String> faults = new ArrayList<>();
    rendering
        .of(PersistentVolume.class)
        .forEach(resource -> {
          PersistentVolumeSpec spec = ((PersistentVolume) resource.model()).getSpec();
          if (spec.getIscsi() == null) {
            faults.add(resource.id() + ": expected a volume by iSCSI");
            return;
          }
          target(resource, spec, rendering, faults);
          claim(resource, spec, rendering, faults);
        });
    return faults;
  }

  private static void target(
      Resource resource, PersistentVolumeSpec spec, Rendering rendering, List<String> faults) {
    Optional<ServiceContainer> container =
        rendering.workloads().stream()
            .flatMap(Workload::services)
            .filter(one -> one.service().equals(PopulatorService.REGISTRY_STREAM_ISCSI))
            .findFirst();
    if (container.isEmpty()) {
      faults.add(resource.id() + ": expected a target in the same rendering");
      return;
    }
    RegistryStreamIscsiSettings settings = ContainerSettings.of(container.get()).iscsi();
    ISCSIPersistentVolumeSource iscsi = spec.getIscsi();
    differ(resource, "iqn", settings.target(), iscsi.getIqn(), faults);
    differ(resource, "lun", settings.single().lun(), Optional.ofNullable(iscsi.getLun()), faults);
    String portal = settings.host().orElse("") + ":" + settings.port();
    differ(resource, "targetPortal", portal, iscsi.getTargetPortal(), faults);
    differ(
        resource,
        "chapAuthSession",
        settings.single().chapUser().isPresent(),
        Boolean.TRUE.equals(iscsi.getChapAuthSession()),
        faults);
    differ(
        resource,
        "chapAuthDiscovery",
        settings.single().chapUser().isPresent(),
        Boolean.TRUE.equals(iscsi.getChapAuthDiscovery()),
        faults);
    boolean answers =
        rendering
            .of(Service.class)
            .map(service -> ((Service) service.model()).getSpec())
            .anyMatch(service ->
                Objects.equals(settings.host().orElse(""), service.getClusterIP())
                    && service.getPorts().stream()
                        .anyMatch(port -> port.getPort() == settings.port()));
    if (!answers) {
      faults.add(resource.id() + ": no Service answers at " + portal);
    }
  }

  private static void claim(
      Resource resource, PersistentVolumeSpec volume, Rendering rendering, List<String> faults) {
    ObjectReference wanted = volume.getClaimRef();
    Optional<PersistentVolumeClaimSpec> claim =
        rendering
            .of(PersistentVolumeClaim.class)
            .filter(one -> wanted != null && one.name().equals(wanted.getName()))
            .map(one -> ((PersistentVolumeClaim) one.model()).getSpec())
            .findFirst();
    if (claim.isEmpty()) {
      faults.add(resource.id() + ": expected a claimRef to a claim of the same rendering");
      return;
    }
    PersistentVolumeClaimSpec spec = claim.get();
    differ(resource, "volumeName", resource.name(), spec.getVolumeName(), faults);
    differ(resource, "volumeMode", volume.getVolumeMode(), spec.getVolumeMode(), faults);
    differ(
        resource,
        "storageClassName",
        volume.getStorageClassName(),
        spec.getStorageClassName(),
        faults);
    if (!volume.getAccessModes().containsAll(spec.getAccessModes())) {
      faults.add(resource.id() + ": has not the claim's access modes " + spec.getAccessModes());
    }
    Quantity capacity = volume.getCapacity().get("storage");
    Quantity request = spec.getResources().getRequests().get("storage");
    if (capacity == null
        || request == null
        || capacity.getNumericalAmount().compareTo(request.getNumericalAmount()) < 0) {
      faults.add(resource.id() + ": has " + capacity + ", the claim asks for " + request);
    }
  }

  private static void differ(
      Resource resource, String field, Object expected, Object found, List<String> faults) {
    if (!Objects.equals(expected, found)) {
      faults.add(resource.id() + " " + field + ": expected " + expected + ", found " + found);
    }
  }
}
