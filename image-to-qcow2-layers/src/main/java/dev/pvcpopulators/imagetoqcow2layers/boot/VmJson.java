package dev.pvcpopulators.imagetoqcow2layers.boot;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/// Generates the content of `vm.json`, the machine-readable description of a machine.
public final class VmJson {
  private VmJson() {}

  /// Returns a description of the disks, the process, the ports and, if there is one, the kernel.
  public static String of(Machine machine) {
    ObjectNode root = JsonNodeFactory.instance.objectNode();
    root.put("name", machine.name());
    root.put("image", machine.image());
    root.put("digest", machine.digest());
    ObjectNode disk = root.putObject("disk");
    disk.put("file", Machine.DISK);
    disk.put("format", "qcow2");
    disk.put("virtualSize", machine.virtualSize());
    strings(disk.putArray("layers"), machine.layers());
    if (machine.dataVolume()) {
      ObjectNode data = root.putObject("data");
      data.put("file", Machine.DATA);
      data.put("format", "qcow2");
    }
    process(root.putObject("process"), machine.process());
    strings(root.putArray("ports"), machine.ports());
    machine
        .kernelRelease()
        .ifPresent(release -> {
          ObjectNode kernel = root.putObject("kernel");
          kernel.put("release", release);
          kernel.put("file", Machine.KERNEL);
          kernel.put("initrd", Machine.INITRD);
          kernel.put("commandLine", machine.commandLine());
        });
    return root.toPrettyString() + "\n";
  }

  private static void process(ObjectNode node, GuestProcess process) {
    strings(node.putArray("arguments"), process.arguments());
    strings(node.putArray("environment"), process.environment());
    node.put("workingDirectory", process.workingDirectory());
    node.put("uid", process.uid());
    node.put("gid", process.gid());
    ArrayNode groups = node.putArray("groups");
    process.groups().forEach(groups::add);
    node.put("hostname", process.hostname());
    strings(node.putArray("volumes"), process.volumes());
    node.put("stopSignal", process.stopSignal());
  }

  private static void strings(ArrayNode node, List<String> strings) {
    strings.forEach(node::add);
  }
}
