package dev.pvcpopulators.imagetoqcow2layers.boot;

import dev.pvcpopulators.diskimage.Quoted;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// A machine that boots a container image. In `run.sh` and `vm.json`, the names of the machine's
/// files are relative to the machine's directory.
///
/// @param name the name of the machine, a DNS label
/// @param claim the name of the PersistentVolumeClaim that holds the flattened disk, for KubeVirt
/// @param image the image's reference
/// @param digest the digest of the image's manifest
/// @param layers names of the layers' files in the store, from the bottom up
/// @param virtualSize the size of the disk in bytes
/// @param process the process that the machine runs
/// @param ports the ports that the image exposes, such as `80/tcp`
/// @param kernelRelease the kernel's release; empty if the machine has no kernel and therefore
///   cannot boot
/// @param dataVolume whether the machine has a `data.qcow2`
public record Machine(
    String name,
    String claim,
    String image,
    String digest,
    List<String> layers,
    long virtualSize,
    GuestProcess process,
    List<String> ports,
    Optional<String> kernelRelease,
    boolean dataVolume) {
  static final int MEMORY_MEBIBYTES = 512;
  static final int CPUS = 1;

  /// The maximum number of ports that are forwarded or declared. The number is limited because each
  /// port makes QEMU's command line longer.
  static final int PORTS = 64;

  /// The number of seconds between the request to stop a machine and the forced end of the machine.
  /// This time is enough, because by default the guest's `/init` waits only 10 s for the process.
  static final int TERMINATION_SECONDS = 30;

  public static final String DISK = "disk.qcow2";
  public static final String DATA = "data.qcow2";
  public static final String KERNEL = "vmlinuz";
  public static final String INITRD = "initrd";

  /// The maximum number of characters of an image's `REFERENCE@DIGEST` in the generated files.
  static final int SHOWN = 200;

  private static final Pattern DNS_LABEL = Pattern.compile("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?");

  public Machine {
    if (!DNS_LABEL.matcher(name).matches()) {
      throw new IllegalArgumentException("A machine's name is a DNS label, found " + name);
    }
    layers = List.copyOf(layers);
    ports = List.copyOf(ports);
  }

  /// Returns the kernel's command line.
  public String commandLine() {
    return "console=ttyS0 quiet panic=-1" + (dataVolume ? " pvcp.data" : "");
  }

  /// Returns `run.sh`. The script boots the machine with QEMU, uses KVM if KVM is available,
  /// forwards the ports, and exits with the exit code of the process.
  public String qemuScript() {
    String ports = reachablePorts().stream().map(Port::toString).collect(Collectors.joining(" "));
    return new ShellScript()
        .lines("#!/bin/sh\n")
        .set("name", name())
        .set("image", shownImage())
        .set("append", commandLine())
        .set("ports", ports)
        .set("disk", DISK)
        .set("data", dataVolume() ? DATA : "")
        .set("default_memory", Integer.toString(MEMORY_MEBIBYTES))
        .set("default_cpus", Integer.toString(CPUS))
        .lines(Resource.text("qemu.sh"))
        .toString();
  }

  /// Returns the `Containerfile` of the container image from which `kernelBoot` reads the kernel
  /// and the initrd.
  public String kernelContainerfile() {
    return "# KubeVirt reads the kernel and the initrd from this container image.\n"
        + "# Build the image in the directory that contains both files:\n"
        + "#   buildah build -t "
        + KubeVirtMachine.kernelImage(this)
        + " .\n"
        + "FROM scratch\n"
        + "COPY vmlinuz initrd /boot/\n";
  }

  /// Returns the ports to forward, at most [#PORTS].
  List<Port> reachablePorts() {
    List<Port> all = Port.of(ports);
    return all.subList(0, Math.min(all.size(), PORTS));
  }

  /// Returns the image's reference and digest as one line of at most [#SHOWN] characters, for
  /// display in the generated files.
  String shownImage() {
    return Quoted.plain(image + "@" + digest, SHOWN);
  }
}
