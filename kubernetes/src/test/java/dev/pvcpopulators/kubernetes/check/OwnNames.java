package dev.pvcpopulators.kubernetes.check;

import dev.pvcpopulators.kubernetes.manifest.ContainerSettings;
import dev.pvcpopulators.kubernetes.manifest.PopulatorService;
import dev.pvcpopulators.kubernetes.manifest.Rendering;
import dev.pvcpopulators.kubernetes.manifest.ServiceContainer;
import dev.pvcpopulators.kubernetes.manifest.Surroundings;
import dev.pvcpopulators.kubernetes.manifest.Workload;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.EnvVarSource;
import io.fabric8.kubernetes.api.model.SecretKeySelector;
import io.fabric8.kubernetes.api.model.SecretProjection;
import io.fabric8.kubernetes.api.model.SecretVolumeSource;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeProjection;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Checks that the manifests contain each ServiceAccount that a service permits as a user. Also
/// checks that a service uses only its own Secrets, and the Secrets of Kustomize components, which
/// several services may share. If two services shared a token, the clients of each service would
/// also have access to the other service.
final class OwnNames implements Check {
  /// Secrets of Kustomize components. Several services may share these Secrets.
  private static final Set<String> SHARED = Set.of("populator-tls", "registry-credentials");

  /// The Secret that nodes and the iSCSI target share.
  private static final String CHAP = "iscsi-chap";

  private static final Pattern ACCOUNT = Pattern.compile("system:serviceaccount:([^:]+):([^:]+)");

  @Override
  public List<String> faults(Rendering rendering, Surroundings surroundings) {
    List<String> faults = new ArrayList<>();
    for (Workload workload : rendering.workloads()) {
      workload
          .services()
          .forEach(container -> {
            ContainerSettings.of(container)
                .populator()
                .tokenreview()
                .users()
                .ifPresent(
                    users -> users.forEach(user -> user(container, user, rendering, faults)));
            secrets(container)
                .filter(name -> !owns(container, name))
                .forEach(name ->
                    faults.add(
                        container.id() + ": the Secret " + name + " belongs to another service"));
          });
    }
    return faults;
  }

  private static void user(
      ServiceContainer container, String user, Rendering rendering, List<String> faults) {
    Matcher account = ACCOUNT.matcher(user);
    if (!account.matches()
        || !rendering.has("ServiceAccount", account.group(1), account.group(2))) {
      faults.add(container.id() + ": the ServiceAccount of the user " + user + " is not rendered");
    }
  }

  private static boolean owns(ServiceContainer container, String secret) {
    return SHARED.contains(secret)
        || secret.startsWith(container.service().id() + "-")
        || (container.workload().dynamicSource() && secret.startsWith("dynamic-source-"))
        || (container.service().equals(PopulatorService.REGISTRY_STREAM_ISCSI)
            && secret.equals(CHAP));
  }

  private static Stream<String> secrets(ServiceContainer container) {
    Stream<String> variables =
        container.container().getEnv().stream()
            .map(EnvVar::getValueFrom)
            .filter(Objects::nonNull)
            .map(EnvVarSource::getSecretKeyRef)
            .filter(Objects::nonNull)
            .map(SecretKeySelector::getName);
    Stream<String> mounted =
        container.workload().spec().getVolumes().stream().flatMap(OwnNames::secrets);
    return Stream.concat(variables, mounted).distinct();
  }

  private static Stream<String> secrets(Volume volume) {
    Stream<String> whole =
        Stream.ofNullable(volume.getSecret()).map(SecretVolumeSource::getSecretName);
    Stream<String> projected =
        Stream.ofNullable(volume.getProjected())
            .flatMap(projection -> projection.getSources().stream())
            .map(VolumeProjection::getSecret)
            .filter(Objects::nonNull)
            .map(SecretProjection::getName);
    return Stream.concat(whole, projected);
  }
}
