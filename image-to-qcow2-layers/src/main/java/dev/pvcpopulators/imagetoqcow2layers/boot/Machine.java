package dev.pvcpopulators.imagetoqcow2layers.boot;

import java.util.List;
import java.util.Optional;

/// A machine that boots an image, in the words of those who run machines. Paths in what it gives
/// are relative to the directory that holds them all.
///
/// @param name of the machine, a DNS label
/// @param image reference, for comments
/// @param digest of the image's manifest
/// @param layers file names from the bottom up
/// @param virtualSize bytes of the disk
/// @param process what runs
/// @param ports that the image exposes: `80/tcp`
/// @param kernelRelease empty where there is no kernel: nothing can be booted then
/// @param dataVolume whether there is a `data.qcow2`
@SuppressWarnings("DoNotCallSuggester")
public record Machine(
    String name,
    String image,
    String digest,
    List<String> layers,
    long virtualSize,
    GuestProcess process,
    List<String> ports,
    Optional<String> kernelRelease,
    boolean dataVolume) {
  public Machine {
    layers = List.copyOf(layers);
    ports = List.copyOf(ports);
  }

  /// The kernel's command line.
  public String commandLine() {
    throw new UnsupportedOperationException("skeleton");
  }

  /// `vm.json`: everything above, and what to boot it with.
  public String json() {
    throw new UnsupportedOperationException("skeleton");
  }

  /// `run.sh`: boots it with QEMU, with KVM where that is; forwards the ports; ends with the
  /// process's exit code.
  public String qemuScript() {
    throw new UnsupportedOperationException("skeleton");
  }

  /// `domain.xml` for `virsh create`.
  public String libvirtDomain() {
    throw new UnsupportedOperationException("skeleton");
  }

  /// `virtual-machine.yaml` for KubeVirt, with `kernelBoot` and a claim that holds the flattened
  /// disk.
  public String kubeVirtMachine() {
    throw new UnsupportedOperationException("skeleton");
  }

  /// `Containerfile` of the image that `kernelBoot` takes kernel and initrd from.
  public String kernelContainerfile() {
    throw new UnsupportedOperationException("skeleton");
  }
}
