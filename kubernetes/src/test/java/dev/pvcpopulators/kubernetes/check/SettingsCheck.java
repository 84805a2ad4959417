package dev.pvcpopulators.kubernetes.check;

import dev.pvcpopulators.kubernetes.manifest.ContainerSettings;
import dev.pvcpopulators.kubernetes.manifest.Environment;
import dev.pvcpopulators.kubernetes.manifest.MalformedManifestException;
import dev.pvcpopulators.kubernetes.manifest.PopulatorService;
import dev.pvcpopulators.kubernetes.manifest.Rendering;
import dev.pvcpopulators.kubernetes.manifest.ServiceContainer;
import dev.pvcpopulators.kubernetes.manifest.SettingNames;
import dev.pvcpopulators.kubernetes.manifest.Surroundings;
import dev.pvcpopulators.kubernetes.manifest.Workload;
import io.fabric8.kubernetes.api.model.EnvVar;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/// Checks the variables of a container. The service must read every variable, accept every value,
/// and be able to start with all variables.
final class SettingsCheck implements Check {
  @Override
  public List<String> faults(Rendering rendering, Surroundings surroundings) {
    List<String> faults = new ArrayList<>();
    for (Workload workload : rendering.workloads()) {
      workload.services().forEach(container -> judge(container, faults));
    }
    return faults;
  }

  private static void judge(ServiceContainer container, List<String> faults) {
    arguments(container, faults);
    names(container, faults);
    if (!container.container().getEnvFrom().isEmpty()) {
      faults.add(container.id() + ": expected variables one by one, found envFrom");
    }
    ContainerSettings.mistakes(container)
        .forEach(mistake -> faults.add(container.id() + ": " + mistake.sentence()));
    try {
      ContainerSettings settings = ContainerSettings.of(container);
      together(container, settings, faults);
      claim(container, settings, faults);
      registries(container, settings, faults);
    } catch (MalformedManifestException e) {
      faults.add(container.id() + ": " + e.getMessage());
    }
  }

  private static void arguments(ServiceContainer container, List<String> faults) {
    if (!container.container().getCommand().isEmpty()) {
      faults.add(container.id() + ": expected the image's own command");
    }
    Set<String> known = container.service().flags();
    for (String argument : container.container().getArgs()) {
      if (!known.contains(argument)) {
        faults.add(
            container.id() + ": expected arguments of " + known + ", found '" + argument + "'");
      }
    }
  }

  private static void names(ServiceContainer container, List<String> faults) {
    SettingNames names = SettingNames.of(container.service());
    Set<String> there = new HashSet<>();
    for (EnvVar variable : container.container().getEnv()) {
      String name = variable.getName();
      if (!names.has(name)) {
        faults.add(container.id() + ": " + container.service().id() + " has no setting " + name);
      }
      if (!there.add(name)) {
        faults.add(container.id() + ": the variable " + name + " is there twice");
      }
    }
    Map<String, String> environment = Environment.of(container.container());
    environment.forEach((name, value) -> {
      // If a reference `$(NAME)` names no earlier variable, Kubernetes passes the text of the
      // reference to the service.
      if (value.contains("$(")) {
        faults.add(container.id() + ": " + name + " names a variable that does not stand before");
      }
      if (names.isBoolean(name) && !value.equals("true") && !value.equals("false")) {
        faults.add(container.id() + ": " + name + ": expected true or false, found " + value);
      }
    });
  }

  /// Checks that the service runs in job mode if the workload is a Job, and in service mode
  /// otherwise. The pod of a Job must end; the pods of other workloads keep running.
  private static void together(
      ServiceContainer container, ContainerSettings settings, List<String> faults) {
    if (container.workload().job() != settings.job()) {
      faults.add(
          container.id()
              + (settings.job() ? ": runs as a job" : ": runs as a service")
              + " in a "
              + container.workload().resource().kind());
    }
  }

  /// Checks that the claim's name is set. The service itself does not require the name in a Job or
  /// on a loopback address. This check requires the name in every manifest of a service other than
  /// registry-stream-iscsi.
  private static void claim(
      ServiceContainer container, ContainerSettings settings, List<String> faults) {
    if (!container.service().equals(PopulatorService.REGISTRY_STREAM_ISCSI)
        && settings.populator().claimName().isEmpty()) {
      faults.add(container.id() + ": expected POPULATOR_CLAIM_NAME");
    }
  }

  /// Checks that the permitted registries are set if clients may name images. The service pulls
  /// these images with its own credentials.
  private static void registries(
      ServiceContainer container, ContainerSettings settings, List<String> faults) {
    String setting =
        container.service().id().replace('-', '_').toUpperCase(Locale.ROOT) + "_ALLOWED_REGISTRIES";
    boolean missing =
        container.container().getEnv().stream().noneMatch(it -> it.getName().equals(setting));
    if (!settings.job() && SettingNames.of(container.service()).has(setting) && missing) {
      faults.add(container.id() + ": expected " + setting + ", found that clients name any image");
    }
  }
}
