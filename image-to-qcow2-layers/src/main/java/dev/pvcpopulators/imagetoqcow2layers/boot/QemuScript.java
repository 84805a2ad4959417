package dev.pvcpopulators.imagetoqcow2layers.boot;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.stream.Collectors;

/// Writes `run.sh`: the machine's values as variables, followed by `qemu.sh`.
final class QemuScript {
  private QemuScript() {}

  static String of(Machine machine) {
    String ports =
        machine.reachablePorts().stream().map(Port::toString).collect(Collectors.joining(" "));
    return new ShellScript()
        .lines("#!/bin/sh\n")
        .set("name", machine.name())
        .set("image", machine.shownImage())
        .set("append", machine.commandLine())
        .set("ports", ports)
        .set("disk", MachineDefaults.DISK)
        .set("data", machine.dataVolume() ? MachineDefaults.DATA : "")
        .set("default_memory", Integer.toString(MachineDefaults.MEMORY_MEBIBYTES))
        .set("default_cpus", Integer.toString(MachineDefaults.CPUS))
        .lines(new String(Resource.bytes("qemu.sh"), UTF_8))
        .toString();
  }
}
