package dev.pvcpopulators.kubernetes.manifest;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.LifecycleHandler;
import io.fabric8.kubernetes.api.model.PodSecurityContext;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Probe;
import io.fabric8.kubernetes.api.model.SELinuxOptions;
import io.fabric8.kubernetes.api.model.SecurityContext;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.WindowsSecurityContextOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A pod's specification with the accessors that the controls of `PodSecurity` need.
///
/// @param context the pod's own security context; an empty context if the pod has none
public record AskedPod(PodSpec spec, PodSecurityContext context) {
  public static final Set<String> SE_LINUX_TYPES =
      Set.of("", "container_t", "container_init_t", "container_kvm_t", "container_engine_t");

  /// Sysctls that every version of Kubernetes since 1.22 accepts. Later versions accept more
  /// sysctls, but an older server refuses these additional sysctls.
  public static final Set<String> SAFE_SYSCTLS =
      Set.of(
          "kernel.shm_rmid_forced",
          "net.ipv4.ip_local_port_range",
          "net.ipv4.ip_unprivileged_port_start",
          "net.ipv4.tcp_syncookies",
          "net.ipv4.ping_group_range");

  public static AskedPod of(PodSpec spec) {
    return new AskedPod(
        spec, Objects.requireNonNullElseGet(spec.getSecurityContext(), PodSecurityContext::new));
  }

  public Stream<Container> containers() {
    return Stream.concat(spec.getInitContainers().stream(), spec.getContainers().stream());
  }

  public Stream<Volume> volumes() {
    return spec.getVolumes().stream();
  }

  /// Returns the values of a field of the containers' security contexts, without null values.
  public <T> Stream<T> contexts(Function<SecurityContext, @Nullable T> field) {
    return containers()
        .map(Container::getSecurityContext)
        .filter(Objects::nonNull)
        .map(field)
        .filter(Objects::nonNull);
  }

  /// Returns the names of the containers whose security context does not satisfy a condition. A
  /// missing security context counts as an empty context.
  public Stream<String> eachContext(Function<SecurityContext, Boolean> holds) {
    return containers()
        .filter(container ->
            !holds.apply(
                Objects.requireNonNullElseGet(
                    container.getSecurityContext(), SecurityContext::new)))
        .map(container -> "container " + container.getName());
  }

  public Stream<WindowsSecurityContextOptions> windows() {
    return Stream.concat(
        Stream.ofNullable(context.getWindowsOptions()),
        contexts(SecurityContext::getWindowsOptions));
  }

  public Stream<SELinuxOptions> seLinux() {
    return Stream.concat(
        Stream.ofNullable(context.getSeLinuxOptions()),
        contexts(SecurityContext::getSeLinuxOptions));
  }

  public Stream<String> probedHosts() {
    List<@Nullable String> hosts = new ArrayList<>();
    containers()
        .forEach(container -> {
          Stream.of(
                  container.getStartupProbe(),
                  container.getReadinessProbe(),
                  container.getLivenessProbe())
              .filter(Objects::nonNull)
              .forEach(probe -> hosts.addAll(hosts(probe)));
          if (container.getLifecycle() != null) {
            Stream.of(
                    container.getLifecycle().getPostStart(), container.getLifecycle().getPreStop())
                .filter(Objects::nonNull)
                .forEach(handler -> hosts.addAll(hosts(handler)));
          }
        });
    return hosts.stream().filter(host -> host != null && !host.isEmpty()).map(String::valueOf);
  }

  private static List<@Nullable String> hosts(Probe probe) {
    List<@Nullable String> hosts = new ArrayList<>();
    if (probe.getHttpGet() != null) {
      hosts.add(probe.getHttpGet().getHost());
    }
    if (probe.getTcpSocket() != null) {
      hosts.add(probe.getTcpSocket().getHost());
    }
    return hosts;
  }

  private static List<@Nullable String> hosts(LifecycleHandler handler) {
    List<@Nullable String> hosts = new ArrayList<>();
    if (handler.getHttpGet() != null) {
      hosts.add(handler.getHttpGet().getHost());
    }
    if (handler.getTcpSocket() != null) {
      hosts.add(handler.getTcpSocket().getHost());
    }
    return hosts;
  }

  /// Returns whether the standard "restricted" permits the volume's type. A volume has exactly one
  /// source.
  public static boolean restricted(Volume volume) {
    return Stream.of(
                volume.getConfigMap(),
                volume.getCsi(),
                volume.getDownwardAPI(),
                volume.getEmptyDir(),
                volume.getEphemeral(),
                volume.getPersistentVolumeClaim(),
                volume.getProjected(),
                volume.getSecret())
            .filter(Objects::nonNull)
            .count()
        == 1;
  }
}
