package dev.pvcpopulators.kubernetes;

import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.PodSecurityContext;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.SELinuxOptions;
import io.fabric8.kubernetes.api.model.SeccompProfile;
import io.fabric8.kubernetes.api.model.SecurityContext;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.WindowsSecurityContextOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;

/// The Pod Security Standard "restricted", control by control as
/// kubernetes.io/docs/concepts/security/pod-security-standards lists them (of 1.34): those of
/// "baseline" first, which it includes, then its own.
enum PodSecurity {
  /// Baseline, "HostProcess".
  HOST_PROCESS(pod ->
      pod.windows()
          .map(WindowsSecurityContextOptions::getHostProcess)
          .filter(Boolean.TRUE::equals)
          .map(_ -> "hostProcess")),
  /// Baseline, "Host Namespaces".
  HOST_NAMESPACES(pod ->
      Stream.of(pod.spec().getHostNetwork(), pod.spec().getHostPID(), pod.spec().getHostIPC())
          .filter(Boolean.TRUE::equals)
          .map(_ -> "a namespace of the host")),
  /// Baseline, "Privileged Containers".
  PRIVILEGED(pod ->
      pod.contexts(SecurityContext::getPrivileged).filter(yes -> yes).map(_ -> "privileged")),
  /// Baseline, "HostPath Volumes".
  HOST_PATH(
      pod -> pod.volumes().filter(volume -> volume.getHostPath() != null).map(Volume::getName)),
  /// Baseline, "Host Ports".
  HOST_PORTS(pod ->
      pod.containers()
          .flatMap(container -> container.getPorts().stream())
          .map(ContainerPort::getHostPort)
          .filter(port -> port != null && port != 0)
          .map(port -> "hostPort " + port)),
  /// Baseline, "Host Probes / Lifecycle Hooks" (1.34 and newer).
  HOST_PROBES(pod -> pod.probedHosts().map(host -> "host " + host)),
  /// Baseline, "AppArmor".
  APP_ARMOR(pod ->
      Stream.concat(
              Stream.ofNullable(pod.context().getAppArmorProfile()),
              pod.contexts(SecurityContext::getAppArmorProfile))
          .map(profile -> profile.getType())
          .filter(type -> !Set.of("RuntimeDefault", "Localhost").contains(type))),
  /// Baseline, "SELinux".
  SE_LINUX(pod ->
      pod.seLinux()
          .filter(options ->
              options.getUser() != null
                  || options.getRole() != null
                  || !AskedPod.SE_LINUX_TYPES.contains(Objects.toString(options.getType(), "")))
          .map(SELinuxOptions::toString)),
  /// Baseline, "/proc Mount Type".
  PROC_MOUNT(
      pod -> pod.contexts(SecurityContext::getProcMount).filter(type -> !type.equals("Default"))),
  /// Baseline, "Sysctls".
  SYSCTLS(pod ->
      pod.context().getSysctls().stream()
          .map(sysctl -> sysctl.getName())
          .filter(name -> !AskedPod.SAFE_SYSCTLS.contains(name))),
  /// Restricted, "Volume Types".
  VOLUME_TYPES(
      pod -> pod.volumes().filter(volume -> !AskedPod.restricted(volume)).map(Volume::getName)),
  /// Restricted, "Privilege Escalation".
  PRIVILEGE_ESCALATION(pod ->
      pod.eachContext(context -> Boolean.FALSE.equals(context.getAllowPrivilegeEscalation()))),
  /// Restricted, "Running as Non-root".
  NON_ROOT(pod ->
      pod.eachContext(context ->
          Boolean.TRUE.equals(
              Objects.requireNonNullElse(
                  context.getRunAsNonRoot(),
                  Boolean.TRUE.equals(pod.context().getRunAsNonRoot()))))),
  /// Restricted, "Running as Non-root user".
  NON_ROOT_USER(pod ->
      Stream.concat(
              Stream.ofNullable(pod.context().getRunAsUser()),
              pod.contexts(SecurityContext::getRunAsUser))
          .filter(user -> user == 0)
          .map(_ -> "runAsUser 0")),
  /// Restricted, "Seccomp"; stricter than baseline's.
  SECCOMP(pod ->
      pod.eachContext(context -> {
        SeccompProfile profile =
            context.getSeccompProfile() == null
                ? pod.context().getSeccompProfile()
                : context.getSeccompProfile();
        return profile != null && Set.of("RuntimeDefault", "Localhost").contains(profile.getType());
      })),
  /// Restricted, "Capabilities"; stricter than baseline's.
  CAPABILITIES(pod ->
      pod.eachContext(context ->
          context.getCapabilities() != null
              && context.getCapabilities().getDrop().contains("ALL")
              && Set.of("NET_BIND_SERVICE").containsAll(context.getCapabilities().getAdd())));

  private final Function<AskedPod, Stream<String>> violations;

  PodSecurity(Function<AskedPod, Stream<String>> violations) {
    this.violations = violations;
  }

  /// What of a pod violates this control; nothing where it holds.
  List<String> violations(PodSpec spec) {
    return violations
        .apply(
            new AskedPod(
                spec,
                Objects.requireNonNullElseGet(spec.getSecurityContext(), PodSecurityContext::new)))
        .toList();
  }

  /// The check of all controls for all pods of a rendering.
  static List<String> faults(Rendering rendering, Surroundings surroundings) {
    List<String> faults = new ArrayList<>();
    for (Workload workload : rendering.workloads()) {
      for (PodSecurity control : values()) {
        for (String violation : control.violations(workload.spec())) {
          faults.add(
              workload.resource().id() + ": Pod Security " + control + " forbids: " + violation);
        }
      }
    }
    return faults;
  }
}
