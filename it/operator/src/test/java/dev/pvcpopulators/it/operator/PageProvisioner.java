package dev.pvcpopulators.it.operator;

import dev.pvcpopulators.it.Command;
import io.fabric8.kubernetes.api.model.ObjectReference;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeFluent;
import io.fabric8.kubernetes.api.model.PersistentVolumeSpec;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.storage.StorageClass;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A fake storage driver. For each pending claim of its classes, the driver creates a volume. The
/// volume is a directory, or a loop device over a sparse file. Like CSI's provisioner, the driver
/// ignores claims with a data source. A driver that [#ignorant] started does not ignore these
/// claims. [#close] detaches the devices.
final class PageProvisioner implements AutoCloseable {
  private static final String PROVISIONED_BY = "pv.kubernetes.io/provisioned-by";
  private static final String SELECTED_NODE = "volume.kubernetes.io/selected-node";
  private static final long RESYNC_MILLIS = 1000;
  private static final int CONFLICT = HttpURLConnection.HTTP_CONFLICT;

  private final KubernetesClient client;
  private final Path directory;
  private final String name;
  private final boolean heedsDataSources;
  private final UnaryOperator<PersistentVolume> change;
  private final Map<String, String> devices = new ConcurrentHashMap<>();
  private final SharedIndexInformer<PersistentVolumeClaim> claims;
  private final SharedIndexInformer<PersistentVolume> volumes;

  private PageProvisioner(
      KubernetesClient client,
      Path directory,
      String name,
      boolean heedsDataSources,
      UnaryOperator<PersistentVolume> change) {
    this.client = client;
    this.directory = directory;
    this.name = name;
    this.heedsDataSources = heedsDataSources;
    this.change = change;
    this.claims =
        client
            .persistentVolumeClaims()
            .inAnyNamespace()
            .inform(each(this::provision), RESYNC_MILLIS);
    this.volumes = client.persistentVolumes().inform(each(this::reclaim), RESYNC_MILLIS);
  }

  /// Starts a provisioner that creates volumes as requested.
  ///
  /// @param directory an empty directory for the volumes
  /// @param name the `provisioner` of its classes
  static PageProvisioner start(KubernetesClient client, Path directory, String name) {
    return new PageProvisioner(client, directory, name, true, volume -> volume);
  }

  /// Starts a provisioner whose volumes differ from the request.
  ///
  /// @param change changes each volume before its creation
  static PageProvisioner changing(
      KubernetesClient client,
      Path directory,
      String name,
      UnaryOperator<PersistentVolume> change) {
    return new PageProvisioner(client, directory, name, true, change);
  }

  /// Starts a fake of local-path. This fake also creates empty volumes for claims with a data
  /// source.
  static PageProvisioner ignorant(KubernetesClient client, Path directory, String name) {
    return new PageProvisioner(client, directory, name, false, volume -> volume);
  }

  private interface Action<T> {
    void on(T object) throws IOException;
  }

  private static <T> ResourceEventHandler<T> each(Action<T> action) {
    return new ResourceEventHandler<>() {
      @Override
      public void onAdd(T object) {
        try {
          action.on(object);
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }

      @Override
      public void onUpdate(T before, T object) {
        onAdd(object);
      }

      @Override
      public void onDelete(T object, boolean unknown) {}
    };
  }

  private synchronized void provision(PersistentVolumeClaim claim) throws IOException {
    String className = claim.getSpec().getStorageClassName();
    if (className == null
        || !"Pending".equals(claim.getStatus().getPhase())
        || claim.getMetadata().getDeletionTimestamp() != null
        || claim.getSpec().getVolumeName() != null
        || (heedsDataSources && claim.getSpec().getDataSource() != null)) {
      return;
    }
    StorageClass storageClass = client.storage().v1().storageClasses().withName(className).get();
    if (storageClass == null || !storageClass.getProvisioner().equals(name)) {
      return;
    }
    String node = Objects.toString(annotation(claim, SELECTED_NODE), "");
    if ("WaitForFirstConsumer".equals(storageClass.getVolumeBindingMode()) && node.isEmpty()) {
      return;
    }
    String volumeName = "pvc-" + claim.getMetadata().getUid();
    if (client.persistentVolumes().withName(volumeName).get() != null) {
      return;
    }
    try {
      client.persistentVolumes().resource(change.apply(volume(claim, storageClass))).create();
    } catch (KubernetesClientException e) {
      if (e.getCode() != CONFLICT) {
        throw e;
      }
    }
  }

  private static @Nullable String annotation(PersistentVolumeClaim claim, String key) {
    Map<String, String> all = claim.getMetadata().getAnnotations();
    return all == null ? null : all.get(key);
  }

  private PersistentVolume volume(PersistentVolumeClaim claim, StorageClass storageClass)
      throws IOException {
    String volumeName = "pvc-" + claim.getMetadata().getUid();
    Quantity size =
        Objects.requireNonNull(claim.getSpec().getResources().getRequests().get("storage"));
    PersistentVolumeFluent<PersistentVolumeBuilder>.SpecNested<PersistentVolumeBuilder> spec =
        new PersistentVolumeBuilder()
            .withNewMetadata()
            .withName(volumeName)
            .addToAnnotations(PROVISIONED_BY, name)
            .endMetadata()
            .withNewSpec()
            .withStorageClassName(storageClass.getMetadata().getName())
            .withPersistentVolumeReclaimPolicy(storageClass.getReclaimPolicy())
            .withAccessModes(claim.getSpec().getAccessModes())
            .withVolumeMode(claim.getSpec().getVolumeMode())
            .withVolumeAttributesClassName(claim.getSpec().getVolumeAttributesClassName())
            .addToCapacity("storage", size)
            .withNewClaimRef()
            .withKind("PersistentVolumeClaim")
            .withApiVersion("v1")
            .withNamespace(claim.getMetadata().getNamespace())
            .withName(claim.getMetadata().getName())
            .withUid(claim.getMetadata().getUid())
            .endClaimRef();
    return switch (claim.getSpec().getVolumeMode()) {
      case "Block" ->
          spec.withNewLocal()
              .withPath(device(volumeName, size))
              .endLocal()
              .withNewNodeAffinity()
              .withNewRequired()
              .addNewNodeSelectorTerm()
              .addNewMatchExpression()
              .withKey("kubernetes.io/hostname")
              .withOperator("In")
              .withValues(ProcessNode.NAME)
              .endMatchExpression()
              .endNodeSelectorTerm()
              .endRequired()
              .endNodeAffinity()
              .endSpec()
              .build();
      default -> filesystem(spec, Files.createDirectories(directory.resolve(volumeName)));
    };
  }

  /// Returns a CSI volume if the claim has a VolumeAttributesClass, and a hostPath volume
  /// otherwise. Only a CSI volume can have a VolumeAttributesClass.
  private PersistentVolume filesystem(
      PersistentVolumeFluent<PersistentVolumeBuilder>.SpecNested<PersistentVolumeBuilder> spec,
      Path tree) {
    return spec.getVolumeAttributesClassName() == null
        ? spec.withNewHostPath().withPath(tree.toString()).endHostPath().endSpec().build()
        : spec.withNewCsi()
            .withDriver(name.substring(0, name.indexOf('/')))
            .withVolumeHandle(tree.toString())
            .endCsi()
            .endSpec()
            .build();
  }

  private String device(String volumeName, Quantity size) throws IOException {
    String known = devices.get(volumeName);
    if (known != null) {
      return known;
    }
    Path file = directory.resolve(volumeName);
    try (RandomAccessFile sparse = new RandomAccessFile(file.toFile(), "rw")) {
      sparse.setLength(Quantity.getAmountInBytes(size).longValueExact());
    }
    String device =
        Command.run("flock", "/dev/loop-control", "losetup", "-f", "--show", file.toString())
            .strip();
    devices.put(volumeName, device);
    return device;
  }

  private synchronized void reclaim(PersistentVolume volume) throws IOException {
    Map<String, String> annotations = volume.getMetadata().getAnnotations();
    if (annotations == null
        || !name.equals(annotations.get(PROVISIONED_BY))
        || !"Released".equals(volume.getStatus().getPhase())
        || !"Delete".equals(volume.getSpec().getPersistentVolumeReclaimPolicy())
        || claimExists(volume)) {
      return;
    }
    String volumeName = volume.getMetadata().getName();
    String device = devices.remove(volumeName);
    if (device != null) {
      Command.run("losetup", "-d", device);
    }
    remove(directory.resolve(volumeName));
    client.persistentVolumes().withName(volumeName).delete();
  }

  /// Returns whether the claim of a volume still exists. If a claim is deleted and created again
  /// with the same name, the controller of Kubernetes 1.20.2 may release the volume of the new
  /// claim, because its cache still has the old claim (kubernetes/kubernetes#105131).
  private boolean claimExists(PersistentVolume volume) {
    ObjectReference owner = volume.getSpec().getClaimRef();
    PersistentVolumeClaim claim =
        client
            .persistentVolumeClaims()
            .inNamespace(owner.getNamespace())
            .withName(owner.getName())
            .get();
    return claim != null && claim.getMetadata().getUid().equals(owner.getUid());
  }

  private static void remove(Path tree) throws IOException {
    if (Files.exists(tree)) {
      try (Stream<Path> files = Files.walk(tree)) {
        for (Path file : files.sorted((one, other) -> other.compareTo(one)).toList()) {
          Files.delete(file);
        }
      }
    }
  }

  /// Returns whether a volume still has a loop device. Another volume may get a device with the
  /// same path later, so a test cannot check the path of the device.
  boolean attached(PersistentVolume volume) {
    return devices.containsKey(volume.getMetadata().getName());
  }

  /// Returns the directory or the device of a volume.
  static Path location(PersistentVolume volume) {
    PersistentVolumeSpec spec = volume.getSpec();
    return Path.of(
        spec.getLocal() != null
            ? spec.getLocal().getPath()
            : spec.getCsi() != null
                ? spec.getCsi().getVolumeHandle()
                : spec.getHostPath().getPath());
  }

  /// Returns the location of a bound volume's bytes: the disk in the directory, or the device.
  static Path disk(PersistentVolume volume) {
    Path location = location(volume);
    return volume.getSpec().getLocal() == null ? location.resolve("disk.img") : location;
  }

  @Override
  public void close() throws IOException {
    claims.close();
    volumes.close();
    for (String device : devices.values()) {
      Command.run("losetup", "-d", device);
    }
  }
}
