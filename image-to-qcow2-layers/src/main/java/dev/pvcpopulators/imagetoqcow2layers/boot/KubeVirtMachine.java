package dev.pvcpopulators.imagetoqcow2layers.boot;

import com.fasterxml.jackson.databind.node.TextNode;
import java.util.List;
import java.util.Locale;

/// Writes `virtual-machine.yaml` (KubeVirt's API `kubevirt.io/v1`).
@SuppressWarnings("InlineFormatString") // A template is read as one.
final class KubeVirtMachine {
  private static final String MACHINE =
      """
      # Wants: the claim %1$s with the flattened disk, and the image %2$s, which
      # the Containerfile here builds; a registry's name goes before it.
      apiVersion: kubevirt.io/v1
      kind: VirtualMachine
      metadata:
        name: %1$s
        annotations:
          pvcpopulators.dev/image: %3$s
      spec:
        # The machine ends with the process; a process that is to start again wants Always.
        runStrategy: RerunOnFailure
        template:
          metadata:
            labels:
              kubevirt.io/domain: %1$s
          spec:
            terminationGracePeriodSeconds: %4$d
            domain:
              cpu:
                cores: %5$d
              memory:
                guest: %6$dMi
              firmware:
                kernelBoot:
                  container:
                    image: %2$s
                    kernelPath: /boot/vmlinuz
                    initrdPath: /boot/initrd
                    imagePullPolicy: IfNotPresent
                  kernelArgs: %7$s
              devices:
                rng: {}
                disks:
                  - name: root
                    disk:
                      bus: virtio
      %8$s\
                interfaces:
                  - name: default
                    masquerade: {}
      %9$s\
            networks:
              - name: default
                pod: {}
            volumes:
              - name: root
                persistentVolumeClaim:
                  claimName: %1$s
      %10$s\
      """;

  private KubeVirtMachine() {}

  static String of(Machine machine) {
    String name = text(machine.name());
    String dataDisk =
        """
                    - name: data
                      disk:
                        bus: virtio
        """;
    String dataVolume =
        """
                - name: data
                  persistentVolumeClaim:
                    claimName: %s
        """;
    return MACHINE.formatted(
        name,
        text(kernelImage(machine)),
        text(machine.shownImage()),
        MachineDefaults.TERMINATION_SECONDS,
        MachineDefaults.CPUS,
        MachineDefaults.MEMORY_MEBIBYTES,
        text(machine.commandLine()),
        machine.dataVolume() ? dataDisk : "",
        ports(machine.reachablePorts()),
        machine.dataVolume() ? dataVolume.formatted(text(machine.name() + "-data")) : "");
  }

  /// The name of the image with kernel and initrd.
  static String kernelImage(Machine machine) {
    return machine.name() + "-kernel:latest";
  }

  private static String ports(List<Port> ports) {
    if (ports.isEmpty()) {
      return "";
    }
    StringBuilder yaml = new StringBuilder("              ports:\n");
    for (Port port : ports) {
      yaml.append("                - port: ").append(port.number()).append('\n');
      yaml.append("                  protocol: ").append(port.protocol().toUpperCase(Locale.ROOT));
      yaml.append('\n');
    }
    return yaml.toString();
  }

  /// A string in double quotes as JSON writes it, which is YAML as well (YAML 1.2.2, 1.2).
  private static String text(String value) {
    return TextNode.valueOf(value).toString();
  }
}
