package dev.pvcpopulators.imagetoqcow2layers.boot;

import com.fasterxml.jackson.databind.node.TextNode;
import java.util.List;
import java.util.Locale;

/// Generates the content of `virtual-machine.yaml` (KubeVirt's API `kubevirt.io/v1`).
public final class KubeVirtMachine {
  private static final String DATA_DISK =
      """
                  - name: data
                    disk:
                      bus: virtio
      """;

  private static final String DATA_VOLUME =
      """
              - name: data
                persistentVolumeClaim:
                  claimName: "@CLAIM@-data"
      """;

  private KubeVirtMachine() {}

  /// Returns the document. The virtual machine boots the kernel in the container image that the
  /// field `kernelBoot` names. The root disk is the PersistentVolumeClaim that holds the flattened
  /// disk.
  public static String of(Machine machine) {
    // The image's reference is inserted last. Otherwise, a text in the reference that looks like a
    // placeholder would be replaced.
    return Resource.text("virtual-machine.template")
        .replace("@DATA_DISK@", machine.dataVolume() ? DATA_DISK : "")
        .replace("@DATA_VOLUME@", machine.dataVolume() ? DATA_VOLUME : "")
        .replace("@PORTS@", ports(machine.reachablePorts()))
        .replace("@TERMINATION@", Integer.toString(Machine.TERMINATION_SECONDS))
        .replace("@CPUS@", Integer.toString(Machine.CPUS))
        .replace("@MEMORY@", Integer.toString(Machine.MEMORY_MEBIBYTES))
        .replace("@NAME@", machine.name())
        .replace("@CLAIM@", machine.claim())
        .replace("@KERNEL@", kernelImage(machine))
        .replace("@APPEND@", text(machine.commandLine()))
        .replace("@IMAGE@", text(machine.shownImage()));
  }

  /// Returns the name of the container image that contains the kernel and the initrd.
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

  /// Returns a JSON string in double quotes, which is also YAML (YAML 1.2.2, section 1.2).
  private static String text(String value) {
    return TextNode.valueOf(value).toString();
  }
}
