package dev.pvcpopulators.kubernetes.check;

import dev.pvcpopulators.kubernetes.manifest.AskedPod;
import dev.pvcpopulators.kubernetes.manifest.Rendering;
import dev.pvcpopulators.kubernetes.manifest.Surroundings;
import dev.pvcpopulators.kubernetes.manifest.Workload;
import io.fabric8.kubernetes.api.model.ContainerPort;
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

/// Checks each control of the Pod Security Standard "restricted"
/// (kubernetes.io/docs/concepts/security/pod-security-standards, version 1.34). This standard
/// includes the controls of "baseline". The controls "Seccomp" and "Capabilities" are in both
/// standards; this class checks only the stricter form in "restricted".
final class PodSecurity implements Check {
  private static final Set<String> CONFINED = Set.of("RuntimeDefault", "Localhost");
  private static final List<Control> CONTROLS =
      Stream.of(namespaces(), privileges(), restricted()).flatMap(List::stream).toList();

  /// One control of the standard.
  ///
  /// @param title the title in the standard
  /// @param violations returns the parts of a pod that the control forbids; empty if the pod
  ///   complies
  private record Control(String title, Function<AskedPod, Stream<String>> violations) {}

  @Override
  public List<String> faults(Rendering rendering, Surroundings surroundings) {
    List<String> faults = new ArrayList<>();
    for (Workload workload : rendering.workloads()) {
      AskedPod pod = AskedPod.of(workload.spec());
      for (Control control : CONTROLS) {
        control
            .violations()
            .apply(pod)
            .forEach(violation ->
                faults.add(
                    workload.resource().id()
                        + ": Pod Security, "
                        + control.title()
                        + ", forbids: "
                        + violation));
      }
    }
    return faults;
  }

  /// Controls of "baseline" that isolate a pod from its host.
  private static List<Control> namespaces() {
    return List.of(
        new Control(
            "HostProcess",
            pod ->
                pod.windows()
                    .map(WindowsSecurityContextOptions::getHostProcess)
                    .filter(Boolean.TRUE::equals)
                    .map(_ -> "hostProcess")),
        new Control(
            "Host Namespaces",
            pod ->
                Stream.of(
                        pod.spec().getHostNetwork(),
                        pod.spec().getHostPID(),
                        pod.spec().getHostIPC())
                    .filter(Boolean.TRUE::equals)
                    .map(_ -> "a namespace of the host")),
        new Control(
            "HostPath Volumes",
            pod ->
                pod.volumes().filter(volume -> volume.getHostPath() != null).map(Volume::getName)),
        new Control(
            "Host Ports",
            pod ->
                pod.containers()
                    .flatMap(container -> container.getPorts().stream())
                    .map(ContainerPort::getHostPort)
                    .filter(port -> port != null && port != 0)
                    .map(port -> "hostPort " + port)),
        // Kubernetes 1.34 added this control to the standard.
        new Control(
            "Host Probes / Lifecycle Hooks", pod -> pod.probedHosts().map(host -> "host " + host)));
  }

  /// Controls of "baseline" that limit a pod's privileges.
  private static List<Control> privileges() {
    return List.of(
        new Control(
            "Privileged Containers",
            pod ->
                pod.contexts(SecurityContext::getPrivileged)
                    .filter(yes -> yes)
                    .map(_ -> "privileged")),
        new Control(
            "AppArmor",
            pod ->
                Stream.concat(
                        Stream.ofNullable(pod.context().getAppArmorProfile()),
                        pod.contexts(SecurityContext::getAppArmorProfile))
                    .map(profile -> profile.getType())
                    .filter(type -> !CONFINED.contains(type))),
        new Control(
            "SELinux",
            pod ->
                pod.seLinux()
                    .filter(options ->
                        options.getUser() != null
                            || options.getRole() != null
                            || !AskedPod.SE_LINUX_TYPES.contains(
                                Objects.toString(options.getType(), "")))
                    .map(SELinuxOptions::toString)),
        new Control(
            "/proc Mount Type",
            pod ->
                pod.contexts(SecurityContext::getProcMount)
                    .filter(type -> !type.equals("Default"))),
        new Control(
            "Sysctls",
            pod ->
                pod.context().getSysctls().stream()
                    .map(sysctl -> sysctl.getName())
                    .filter(name -> !AskedPod.SAFE_SYSCTLS.contains(name))));
  }

  /// Controls that only "restricted" has, or that "restricted" makes stricter.
  private static List<Control> restricted() {
    return List.of(
        new Control(
            "Volume Types",
            pod ->
                pod.volumes().filter(volume -> !AskedPod.restricted(volume)).map(Volume::getName)),
        new Control(
            "Privilege Escalation",
            pod ->
                pod.eachContext(
                    context -> Boolean.FALSE.equals(context.getAllowPrivilegeEscalation()))),
        new Control(
            "Running as Non-root",
            pod ->
                pod.eachContext(context ->
                    Boolean.TRUE.equals(
                        Objects.requireNonNullElse(
                            context.getRunAsNonRoot(),
                            Boolean.TRUE.equals(pod.context().getRunAsNonRoot()))))),
        new Control(
            "Running as Non-root user",
            pod ->
                Stream.concat(
                        Stream.ofNullable(pod.context().getRunAsUser()),
                        pod.contexts(SecurityContext::getRunAsUser))
                    .filter(user -> user == 0)
                    .map(_ -> "runAsUser 0")),
        new Control(
            "Seccomp",
            pod ->
                Stream.concat(
                    Stream.ofNullable(pod.context().getSeccompProfile())
                        .map(SeccompProfile::getType)
                        .filter(type -> !CONFINED.contains(type)),
                    pod.eachContext(context -> {
                      SeccompProfile profile =
                          context.getSeccompProfile() == null
                              ? pod.context().getSeccompProfile()
                              : context.getSeccompProfile();
                      return profile != null && CONFINED.contains(profile.getType());
                    }))),
        new Control(
            "Capabilities",
            pod ->
                pod.eachContext(context ->
                    context.getCapabilities() != null
                        && context.getCapabilities().getDrop().contains("ALL")
                        && Set.of("NET_BIND_SERVICE")
                            .containsAll(context.getCapabilities().getAdd()))));
  }
}
