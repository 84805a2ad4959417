package dev.pvcpopulators.operator.plan;

import dev.pvcpopulators.operator.api.Group;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.TypedLocalObjectReference;
import io.fabric8.kubernetes.api.model.TypedObjectReference;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Properties of a claim that several plans need.
public final class Claims {
  public static final String SELECTED_NODE = "volume.kubernetes.io/selected-node";
  private static final String STORAGE_PROVISIONER = "volume.kubernetes.io/storage-provisioner";
  private static final String STORAGE_PROVISIONER_BETA =
      "volume.beta.kubernetes.io/storage-provisioner";
  private static final String KIND = "DiskImage";

  private Claims() {}

  /// Returns the name of the DiskImage to which the claim refers; empty if the claim refers to no
  /// DiskImage of its own namespace. The API server copies `dataSourceRef` to `dataSource` unless
  /// `dataSourceRef` has a namespace.
  public static Optional<String> imageName(PersistentVolumeClaim claim) {
    TypedLocalObjectReference source = claim.getSpec().getDataSource();
    return source != null
            && Group.NAME.equals(source.getApiGroup())
            && KIND.equals(source.getKind())
        ? Optional.of(source.getName())
        : Optional.empty();
  }

  /// Returns whether the claim's `dataSourceRef` refers to a DiskImage and has a namespace.
  public static boolean crossNamespace(PersistentVolumeClaim claim) {
    TypedObjectReference source = claim.getSpec().getDataSourceRef();
    return source != null
        && Group.NAME.equals(source.getApiGroup())
        && KIND.equals(source.getKind())
        && source.getNamespace() != null
        && !source.getNamespace().isEmpty();
  }

  /// Returns whether the operator is responsible for the claim: the claim refers to a DiskImage of
  /// any namespace.
  public static boolean ours(PersistentVolumeClaim claim) {
    return imageName(claim).isPresent() || crossNamespace(claim);
  }

  /// Returns the node that the scheduler chose for the claim's first consumer.
  public static Optional<String> selectedNode(PersistentVolumeClaim claim) {
    return annotation(claim, SELECTED_NODE);
  }

  /// Returns the provisioner that the controller-manager expects for the claim, if known.
  static Optional<String> provisioner(PersistentVolumeClaim claim) {
    return annotation(claim, STORAGE_PROVISIONER)
        .or(() -> annotation(claim, STORAGE_PROVISIONER_BETA));
  }

  /// Returns the name of PVC′. The Job and the Secret for an upload's server have the same name.
  /// The name is different for each claim; it also differs from the names for deleted claims.
  public static String childName(PersistentVolumeClaim claim) {
    return "populate-" + claim.getMetadata().getUid();
  }

  /// Returns the name of an upload's Service. The Secret for the upload's client has the same name.
  /// The name has a prefix, because a Service's name must begin with a letter.
  public static String uploadName(PersistentVolumeClaim claim) {
    return "upload-" + claim.getMetadata().getUid();
  }

  /// Returns whether the volume was filled for this claim.
  static boolean filledFor(@Nullable PersistentVolume volume, PersistentVolumeClaim claim) {
    return volume != null
        && annotation(volume, Group.POPULATED_FOR)
            .filter(claim.getMetadata().getUid()::equals)
            .isPresent();
  }

  /// Returns the storage that the claim requests. The API server refuses a claim that requests no
  /// storage.
  public static Quantity size(PersistentVolumeClaim claim) {
    return Objects.requireNonNull(claim.getSpec().getResources().getRequests().get("storage"));
  }

  /// Returns whether the claim is bound to its volume.
  public static boolean bound(PersistentVolumeClaim claim) {
    return phase(claim).equals("Bound");
  }

  /// Returns the phase; empty if the claim has no status yet.
  static String phase(PersistentVolumeClaim claim) {
    return claim.getStatus() == null || claim.getStatus().getPhase() == null
        ? ""
        : claim.getStatus().getPhase();
  }

  /// Returns the name of the claim's volume; empty if the claim has no volume.
  public static String volumeName(PersistentVolumeClaim claim) {
    String name = claim.getSpec().getVolumeName();
    return name == null ? "" : name;
  }

  /// Returns the value of an annotation; empty if the annotation is missing or empty.
  public static Optional<String> annotation(HasMetadata object, String name) {
    Map<String, String> annotations = object.getMetadata().getAnnotations();
    return Optional.ofNullable(annotations == null ? null : annotations.get(name))
        .filter(value -> !value.isEmpty());
  }

  /// Returns whether a child belongs to the population.
  static boolean belongsTo(HasMetadata child, String populationUid) {
    Map<String, String> labels = child.getMetadata().getLabels();
    return labels != null && populationUid.equals(labels.get(Group.POPULATION));
  }
}
