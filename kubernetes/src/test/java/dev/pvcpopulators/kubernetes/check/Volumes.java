package dev.pvcpopulators.kubernetes.check;

import dev.pvcpopulators.kubernetes.manifest.ContainerSettings;
import dev.pvcpopulators.kubernetes.manifest.Environment;
import dev.pvcpopulators.kubernetes.manifest.Rendering;
import dev.pvcpopulators.kubernetes.manifest.ServiceContainer;
import dev.pvcpopulators.kubernetes.manifest.SettingNames;
import dev.pvcpopulators.kubernetes.manifest.Surroundings;
import dev.pvcpopulators.kubernetes.manifest.Workload;
import io.fabric8.kubernetes.api.model.ConfigMapProjection;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.KeyToPath;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimVolumeSource;
import io.fabric8.kubernetes.api.model.SecretProjection;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeDevice;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.VolumeProjection;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// Checks that the containers use exactly the volumes of the pod, and that each path in a setting
/// is in a volume. The claim must be at POPULATOR_TARGET. The claim is a device if its volumeMode
/// is Block, and otherwise a directory. A Secret or a ConfigMap must have a key for each file that
/// a setting names.
final class Volumes implements Check {
  @Override
  public List<String> faults(Rendering rendering, Surroundings surroundings) {
    List<String> faults = new ArrayList<>();
    for (Workload workload : rendering.workloads()) {
      names(workload, faults);
      workload
          .services()
          .forEach(container -> {
            target(container, rendering, faults);
            files(container, surroundings, faults);
          });
    }
    return faults;
  }

  private static void names(Workload workload, List<String> faults) {
    Set<String> used = new HashSet<>();
    for (Container container : workload.containers()) {
      container.getVolumeMounts().forEach(mount -> used.add(mount.getName()));
      container.getVolumeDevices().forEach(device -> used.add(device.getName()));
      Set<String> places = new HashSet<>();
      for (VolumeMount mount : container.getVolumeMounts()) {
        if (!places.add(mount.getMountPath())) {
          faults.add(workload.id(container) + ": two mounts at " + mount.getMountPath());
        }
        if (mount.getSubPath() != null) {
          faults.add(workload.id(container) + ": subPath, which never follows a renewed Secret");
        }
      }
    }
    Set<String> there =
        workload.spec().getVolumes().stream().map(Volume::getName).collect(Collectors.toSet());
    if (!there.equals(used)) {
      faults.add(
          workload.resource().id() + ": has the volumes " + there + ", containers use " + used);
    }
  }

  /// Checks that a claim of volumeMode Block is a device at POPULATOR_TARGET. A claim of volumeMode
  /// Filesystem must be mounted at POPULATOR_TARGET or at a parent directory.
  private static void target(ServiceContainer container, Rendering rendering, List<String> faults) {
    Path target = ContainerSettings.of(container).populator().target();
    String claimName = ContainerSettings.of(container).populator().claimName().orElse("");
    Optional<VolumeDevice> device = device(container.container(), target);
    Optional<VolumeMount> mount = mount(container.container(), target);
    Optional<PersistentVolumeClaimVolumeSource> source = source(container);
    Optional<String> claim = claim(container);
    if (claim.isEmpty()) {
      faults.add(container.id() + ": expected a claim at POPULATOR_TARGET, which is " + target);
      return;
    }
    if (!claimName.isEmpty() && !claimName.equals(claim.get())) {
      faults.add(
          container.id()
              + ": expected POPULATOR_CLAIM_NAME "
              + claim.get()
              + ", which is mounted, found "
              + claimName);
    }
    boolean readOnly =
        source.map(PersistentVolumeClaimVolumeSource::getReadOnly).orElse(false)
            || (device.isEmpty() && mount.map(VolumeMount::getReadOnly).orElse(false));
    if (readOnly) {
      faults.add(container.id() + ": the volume is mounted for reading only");
    }
    rendering
        .of(PersistentVolumeClaim.class)
        .filter(resource -> resource.name().equals(claim.get()))
        .map(resource -> ((PersistentVolumeClaim) resource.model()).getSpec().getVolumeMode())
        .filter(mode -> "Block".equals(mode) != device.isPresent())
        .forEach(mode ->
            faults.add(
                container.id()
                    + ": the claim "
                    + claim.get()
                    + " of volumeMode "
                    + mode
                    + " is among the "
                    + (device.isPresent() ? "volumeDevices" : "volumeMounts")));
  }

  static Optional<String> claim(ServiceContainer container) {
    return source(container).map(PersistentVolumeClaimVolumeSource::getClaimName);
  }

  private static Optional<PersistentVolumeClaimVolumeSource> source(ServiceContainer container) {
    Path target = ContainerSettings.of(container).populator().target();
    return device(container.container(), target)
        .map(VolumeDevice::getName)
        .or(() -> mount(container.container(), target).map(VolumeMount::getName))
        .flatMap(container.workload()::volume)
        .map(Volume::getPersistentVolumeClaim);
  }

  private static Optional<VolumeDevice> device(Container container, Path target) {
    return container.getVolumeDevices().stream()
        .filter(one -> target.equals(Path.of(one.getDevicePath())))
        .findFirst();
  }

  private static Optional<VolumeMount> mount(Container container, Path file) {
    return container.getVolumeMounts().stream()
        .filter(mount -> file.startsWith(mount.getMountPath()))
        .max(Comparator.comparingInt(mount -> mount.getMountPath().length()));
  }

  /// Checks that each variable with a path names a device, or a path in a volume. If the files of
  /// the volume are known, the path must be one of these files.
  private static void files(
      ServiceContainer container, Surroundings surroundings, List<String> faults) {
    SettingNames names = SettingNames.of(container.service());
    Map<String, String> environment = Environment.of(container.container());
    environment.forEach((name, value) -> {
      if (!names.isPath(name)) {
        return;
      }
      Path file = Path.of(value);
      boolean device =
          container.container().getVolumeDevices().stream()
              .anyMatch(one -> file.equals(Path.of(one.getDevicePath())));
      Optional<VolumeMount> mount = mount(container.container(), file);
      if (mount.isEmpty()) {
        if (!device) {
          faults.add(container.id() + ": " + name + " names " + value + ", which no mount has");
        }
        return;
      }
      String inside = Path.of(mount.get().getMountPath()).relativize(file).toString();
      container
          .workload()
          .volume(mount.get().getName())
          .flatMap(volume -> paths(volume, surroundings))
          .filter(paths -> !paths.contains(inside))
          .ifPresent(paths ->
              faults.add(
                  container.id() + ": " + name + " names " + value + ", the volume has " + paths));
    });
  }

  /// Returns the files of a volume; empty if they are unknown.
  private static Optional<Set<String>> paths(Volume volume, Surroundings surroundings) {
    if (volume.getSecret() != null) {
      return paths(
          "Secret",
          volume.getSecret().getSecretName(),
          volume.getSecret().getItems(),
          surroundings);
    }
    if (volume.getConfigMap() != null) {
      return paths(
          "ConfigMap",
          volume.getConfigMap().getName(),
          volume.getConfigMap().getItems(),
          surroundings);
    }
    if (volume.getProjected() == null) {
      return Optional.empty();
    }
    Set<String> paths = new HashSet<>();
    for (VolumeProjection source : volume.getProjected().getSources()) {
      if (source.getServiceAccountToken() != null) {
        paths.add(source.getServiceAccountToken().getPath());
      }
      SecretProjection secret = source.getSecret();
      if (secret != null) {
        paths("Secret", secret.getName(), secret.getItems(), surroundings).ifPresent(paths::addAll);
      }
      ConfigMapProjection map = source.getConfigMap();
      if (map != null) {
        paths("ConfigMap", map.getName(), map.getItems(), surroundings).ifPresent(paths::addAll);
      }
    }
    return Optional.of(paths);
  }

  private static Optional<Set<String>> paths(
      String kind, String name, List<KeyToPath> items, Surroundings surroundings) {
    return Objects.requireNonNullElse(items, List.<KeyToPath>of()).isEmpty()
        ? surroundings.keys(kind, name)
        : Optional.of(items.stream().map(KeyToPath::getPath).collect(Collectors.toSet()));
  }
}
