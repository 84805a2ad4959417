package dev.pvcpopulators.operator.dynamic;

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

/// What belongs to a dynamic volume, and what it is called.
public final class VolumeNames {
  static final Map<String, String> LABELS =
      Map.of(
          "app.kubernetes.io/name", "operator",
          "app.kubernetes.io/component", "dynamic-volume",
          "app.kubernetes.io/part-of", "pvc-populators");

  private VolumeNames() {}

  /// The name of Secret, Service, Deployment and PersistentVolume: never the same for two dynamic
  /// volumes.
  public static String child(DynamicVolume volume) {
    return "dynamic-" + volume.getMetadata().getUid();
  }

  /// `NAMESPACE/NAME`.
  static String path(DynamicVolume volume) {
    return volume.getMetadata().getNamespace() + "/" + volume.getMetadata().getName();
  }

  /// The metadata of what is in no namespace, and so has no owner.
  static ObjectMetaBuilder metadata(DynamicVolume volume, String name) {
    return new ObjectMetaBuilder()
        .withName(name)
        .withLabels(LABELS)
        .addToLabels(Group.VOLUME, volume.getMetadata().getUid())
        .addToAnnotations(Group.VOLUME_NAME, path(volume));
  }

  /// The metadata of what garbage collection removes after the dynamic volume.
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

  /// Whether the object was created for the dynamic volume.
  static boolean belongs(HasMetadata object, DynamicVolume volume) {
    Map<String, String> labels = object.getMetadata().getLabels();
    return labels != null && volume.getMetadata().getUid().equals(labels.get(Group.VOLUME));
  }

  static boolean deleted(HasMetadata object) {
    return object.getMetadata().getDeletionTimestamp() != null;
  }

  /// The status; one without values where there is none yet.
  public static DynamicVolumeStatus statusOf(DynamicVolume volume) {
    DynamicVolumeStatus status = volume.getStatus();
    return status == null ? DynamicVolumeStatus.empty() : status;
  }

  /// Whether a condition is True.
  static boolean holds(DynamicVolumeStatus status, String type) {
    List<StatusCondition> conditions = status.conditions();
    return conditions != null
        && conditions.stream()
            .anyMatch(
                condition -> condition.type().equals(type) && condition.status().equals("True"));
  }
}
