package dev.pvcpopulators.operator.child;

import dev.pvcpopulators.operator.api.DynamicVolume;
import dev.pvcpopulators.operator.api.DynamicVolumeStatus;
import dev.pvcpopulators.operator.api.Group;
import dev.pvcpopulators.operator.api.StatusCondition;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import java.util.List;
import java.util.Map;

/// Names and metadata of the objects that belong to a dynamic volume.
public final class VolumeNames {
  /// Labels of the objects that belong to a dynamic volume. In the pod template of a dynamic
  /// volume, users can set these labels to other values.
  public static final Map<String, String> LABELS =
      Map.of(
          "app.kubernetes.io/name", "operator",
          "app.kubernetes.io/component", "dynamic-volume",
          "app.kubernetes.io/part-of", "pvc-populators");

  private VolumeNames() {}

  /// Returns the name that the Secret, the Service, the Deployment and the published
  /// PersistentVolume have. The name is unique among all dynamic volumes, including deleted ones.
  public static String child(DynamicVolume volume) {
    return "dynamic-" + volume.getMetadata().getUid();
  }

  /// Returns `NAMESPACE/NAME`.
  public static String path(DynamicVolume volume) {
    return volume.getMetadata().getNamespace() + "/" + volume.getMetadata().getName();
  }

  /// Returns the metadata of a cluster-scoped object, which cannot have an owner in a namespace.
  public static ObjectMetaBuilder metadata(DynamicVolume volume, String name) {
    return new ObjectMetaBuilder()
        .withName(name)
        .withLabels(LABELS)
        .addToLabels(Group.VOLUME, volume.getMetadata().getUid())
        .addToAnnotations(Group.VOLUME_NAME, path(volume));
  }

  /// Returns the metadata of an object that garbage collection removes after the dynamic volume is
  /// deleted.
  public static ObjectMetaBuilder owned(DynamicVolume volume, String name) {
    return metadata(volume, name)
        .withNamespace(volume.getMetadata().getNamespace())
        .withOwnerReferences(owner(volume));
  }

  private static OwnerReference owner(DynamicVolume volume) {
    return new OwnerReferenceBuilder()
        .withApiVersion(Group.NAME + "/" + Group.VERSION)
        .withKind("DynamicVolume")
        .withName(volume.getMetadata().getName())
        .withUid(volume.getMetadata().getUid())
        .withController(true)
        .withBlockOwnerDeletion(false)
        .build();
  }

  /// Returns whether the object was created for the dynamic volume.
  public static boolean belongs(HasMetadata object, DynamicVolume volume) {
    Map<String, String> labels = object.getMetadata().getLabels();
    return labels != null && volume.getMetadata().getUid().equals(labels.get(Group.VOLUME));
  }

  /// Returns whether an object belongs to a dynamic volume, which may no longer exist.
  public static boolean belongsToAny(HasMetadata object) {
    Map<String, String> labels = object.getMetadata().getLabels();
    return labels != null && labels.containsKey(Group.VOLUME);
  }

  /// Returns the status of a dynamic volume; if it has none yet, a status without values.
  public static DynamicVolumeStatus statusOf(DynamicVolume volume) {
    DynamicVolumeStatus status = volume.getStatus();
    return status == null ? DynamicVolumeStatus.empty() : status;
  }

  /// Returns whether a condition is True.
  public static boolean holds(DynamicVolumeStatus status, String type) {
    List<StatusCondition> conditions = status.conditions();
    return conditions != null
        && conditions.stream()
            .anyMatch(
                condition -> condition.type().equals(type) && condition.status().equals("True"));
  }
}
