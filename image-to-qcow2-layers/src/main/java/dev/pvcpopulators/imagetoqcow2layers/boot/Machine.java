package dev.pvcpopulators.imagetoqcow2layers.boot;

import dev.pvcpopulators.diskimage.Quoted;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/// A machine that boots an image, in the words of those who run machines. Paths in what it gives
/// are relative to the directory that holds them all.
///
/// @param name of the machine, a DNS label
/// @param claim that holds the flattened disk, for KubeVirt
/// @param image reference, for comments
/// @param digest of the image's manifest
/// @param layers file names from the bottom up
/// @param virtualSize bytes of the disk
/// @param process what runs
/// @param ports that the image exposes: `80/tcp`
/// @param kernelRelease empty where there is no kernel: nothing can be booted then
/// @param dataVolume whether there is a `data.qcow2`
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
  private static final Pattern DNS_LABEL = Pattern.compile("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?");

  public Machine {
    if (!DNS_LABEL.matcher(name).matches()) {
      throw new IllegalArgumentException("A machine's name is a DNS label, found " + name);
    }
    layers = List.copyOf(layers);
    ports = List.copyOf(ports);
  }

  /// The kernel's command line.
  public String commandLine() {
    return "console=ttyS0 quiet panic=-1" + (dataVolume ? " pvcp.data" : "");
  }

  /// `vm.json`: everything above, and what to boot it with.
  public String json() {
    return VmJson.of(this);
  }

  /// `run.sh`: boots it with QEMU, with KVM where that is; forwards the ports; ends with the
  /// process's exit code.
  public String qemuScript() {
    return QemuScript.of(this);
  }

  /// `domain.xml` for `virsh create`. libvirt wants absolute paths: `@DIRECTORY@` stands for the
  /// directory that the files are in.
  public String libvirtDomain() {
    return LibvirtDomain.of(this);
  }

  /// `virtual-machine.yaml` for KubeVirt, with `kernelBoot` and a claim that holds the flattened
  /// disk.
  public String kubeVirtMachine() {
    return KubeVirtMachine.of(this);
  }

  /// `Containerfile` of the image that `kernelBoot` takes kernel and initrd from.
  public String kernelContainerfile() {
    return "# The image that KubeVirt takes kernel and initrd from. Build it beside the two:\n"
        + "#   buildah build -t "
        + KubeVirtMachine.kernelImage(this)
        + " .\n"
        + "FROM scratch\n"
        + "COPY vmlinuz initrd /boot/\n";
  }

  /// The ports that can be forwarded.
  List<Port> reachablePorts() {
    List<Port> all = Port.of(ports);
    return all.subList(0, Math.min(all.size(), MachineDefaults.PORTS));
  }

  /// Image and digest for a comment: one line, short.
  String shownImage() {
    return Quoted.plain(image + "@" + digest, MachineDefaults.SHOWN);
  }
}
