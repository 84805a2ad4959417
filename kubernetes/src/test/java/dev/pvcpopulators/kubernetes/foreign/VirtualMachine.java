package dev.pvcpopulators.kubernetes.foreign;

import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimVolumeSource;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A VirtualMachine of KubeVirt (kubevirt.io/v1, `staging/src/kubevirt.io/api/core/v1/schema.go`).
public record VirtualMachine(
    String apiVersion, String kind, ObjectMeta metadata, @Nullable Spec spec) {
  public static final String API_VERSION = "kubevirt.io/v1";

  public record Spec(String runStrategy, Template template) {}

  public record Template(@Nullable ObjectMeta metadata, InstanceSpec spec) {}

  public record InstanceSpec(
      Domain domain,
      @Nullable List<Network> networks,
      @Nullable List<Volume> volumes,
      @Nullable Integer terminationGracePeriodSeconds,
      @Nullable Map<String, String> nodeSelector) {}

  public record Domain(
      @Nullable Cpu cpu,
      @Nullable Memory memory,
      @Nullable ResourceRequirements resources,
      @Nullable Firmware firmware,
      Devices devices) {}

  public record Cpu(
      @Nullable Integer cores, @Nullable Integer sockets, @Nullable Integer threads) {}

  public record Memory(Quantity guest) {}

  public record Firmware(@Nullable KernelBoot kernelBoot) {}

  public record KernelBoot(@Nullable String kernelArgs, KernelContainer container) {}

  public record KernelContainer(
      String image,
      @Nullable String imagePullPolicy,
      @Nullable String imagePullSecret,
      @Nullable String kernelPath,
      @Nullable String initrdPath) {}

  public record Devices(
      @Nullable List<Disk> disks,
      @Nullable List<Interface> interfaces,
      @Nullable Empty rng,
      @Nullable Boolean autoattachSerialConsole) {}

  public record Disk(
      String name,
      @Nullable DiskTarget disk,
      @Nullable Integer bootOrder,
      @Nullable String cache,
      @Nullable String serial) {}

  public record DiskTarget(@Nullable String bus, @Nullable Boolean readonly) {}

  public record Interface(
      String name,
      @Nullable Empty masquerade,
      @Nullable Empty bridge,
      @Nullable String model,
      @Nullable List<Port> ports) {}

  public record Port(@Nullable String name, @Nullable String protocol, IntOrString port) {}

  public record Network(String name, @Nullable Empty pod) {}

  public record Volume(
      String name,
      @Nullable PersistentVolumeClaimVolumeSource persistentVolumeClaim,
      @Nullable ContainerDisk containerDisk,
      @Nullable Ephemeral ephemeral,
      @Nullable Empty emptyDisk) {}

  public record ContainerDisk(
      String image, @Nullable String imagePullPolicy, @Nullable String path) {}

  public record Ephemeral(PersistentVolumeClaimVolumeSource persistentVolumeClaim) {}

  /// An object without fields. Only the presence of the object has a meaning.
  public record Empty() {}
}
