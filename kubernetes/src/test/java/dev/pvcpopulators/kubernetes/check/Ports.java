package dev.pvcpopulators.kubernetes.check;

import dev.pvcpopulators.kit.security.OpenPath;
import dev.pvcpopulators.kubernetes.manifest.ContainerSettings;
import dev.pvcpopulators.kubernetes.manifest.ContainerSettings.Listener;
import dev.pvcpopulators.kubernetes.manifest.ContainerSettings.Protocol;
import dev.pvcpopulators.kubernetes.manifest.Rendering;
import dev.pvcpopulators.kubernetes.manifest.ServiceContainer;
import dev.pvcpopulators.kubernetes.manifest.Surroundings;
import dev.pvcpopulators.kubernetes.manifest.Workload;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.HTTPGetAction;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.Probe;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Checks that a container declares exactly the ports that its service opens. These ports depend on
/// the container's environment. Also checks that the container's probes request paths that the
/// service answers.
final class Ports implements Check {
  private static final int PROBES = 3;

  /// The minimum number of seconds that a startup probe must permit, so that a service can recover
  /// its state after a restart.
  private static final int START = 60;

  /// The default of periodSeconds (core/v1 Probe).
  private static final int DEFAULT_PERIOD = 10;

  private static final int DEFAULT_FAILURES = 3;

  @Override
  public List<String> faults(Rendering rendering, Surroundings surroundings) {
    List<String> faults = new ArrayList<>();
    for (Workload workload : rendering.workloads()) {
      workload.services().forEach(container -> judge(container, faults));
    }
    return faults;
  }

  /// Returns the number of a container's port. `port` is the name or the number of the port.
  /// Returns empty if the container declares no port with this name.
  static Optional<Integer> number(Container container, IntOrString port) {
    if (port.getIntVal() != null) {
      return Optional.of(port.getIntVal());
    }
    return container.getPorts().stream()
        .filter(declared -> Objects.equals(declared.getName(), port.getStrVal()))
        .map(ContainerPort::getContainerPort)
        .findFirst();
  }

  private static void judge(ServiceContainer container, List<String> faults) {
    List<Listener> listeners = ContainerSettings.of(container).listeners();
    Set<Integer> opened =
        listeners.stream().map(Listener::port).collect(Collectors.toCollection(TreeSet::new));
    Set<Integer> declared =
        container.container().getPorts().stream()
            .map(ContainerPort::getContainerPort)
            .collect(Collectors.toCollection(TreeSet::new));
    if (!opened.equals(declared)) {
      faults.add(
          container.id() + ": the service listens on " + opened + ", found ports " + declared);
    }
    Map<String, Probe> probes = probes(container.container());
    boolean http = listeners.stream().anyMatch(one -> one.protocol() != Protocol.ISCSI);
    // Probes are optional for a Job, and impossible without an HTTP listener.
    if (http && !container.workload().job() && probes.size() < PROBES) {
      faults.add(container.id() + ": expected three probes, found " + probes.keySet());
    }
    probes.forEach((path, probe) -> probe(container, listeners, path, probe, faults));
    Optional.ofNullable(container.container().getStartupProbe())
        .map(Ports::seconds)
        .filter(seconds -> seconds < START)
        .ifPresent(seconds ->
            faults.add(
                container.id()
                    + ": expected a startupProbe of "
                    + START
                    + " s or more, found "
                    + seconds));
  }

  private static int seconds(Probe probe) {
    return Objects.requireNonNullElse(probe.getPeriodSeconds(), DEFAULT_PERIOD)
        * Objects.requireNonNullElse(probe.getFailureThreshold(), DEFAULT_FAILURES);
  }

  private static Map<String, Probe> probes(Container container) {
    Map<String, Probe> probes = new TreeMap<>();
    put(probes, OpenPath.STARTED, container.getStartupProbe());
    put(probes, OpenPath.READY, container.getReadinessProbe());
    put(probes, OpenPath.LIVE, container.getLivenessProbe());
    return probes;
  }

  private static void put(Map<String, Probe> probes, OpenPath path, @Nullable Probe probe) {
    if (probe != null) {
      probes.put(path.path(), probe);
    }
  }

  private static void probe(
      ServiceContainer container,
      List<Listener> listeners,
      String path,
      Probe probe,
      List<String> faults) {
    HTTPGetAction get = probe.getHttpGet();
    if (get == null) {
      faults.add(container.id() + ": expected a probe by httpGet of " + path);
      return;
    }
    if (!path.equals(get.getPath())) {
      faults.add(container.id() + ": expected a probe of " + path + ", found " + get.getPath());
    }
    Protocol protocol = "HTTPS".equals(get.getScheme()) ? Protocol.HTTPS : Protocol.HTTP;
    Optional<Integer> port = number(container.container(), get.getPort());
    boolean answered = port.isPresent() && listeners.contains(new Listener(port.get(), protocol));
    if (!answered) {
      faults.add(
          container.id()
              + ": the probe of "
              + get.getPath()
              + " asks "
              + protocol
              + " on port "
              + get.getPort().getValue()
              + ", the service listens on "
              + listeners);
    }
  }
}
