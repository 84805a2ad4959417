package dev.pvcpopulators.operator.dynamic;

import dev.pvcpopulators.operator.api.DynamicVolume;
import dev.pvcpopulators.operator.api.DynamicVolumeSpec.Publish;
import dev.pvcpopulators.operator.child.VolumeNames;
import dev.pvcpopulators.volume.IscsiSource;
import dev.pvcpopulators.volume.VolumeSource;
import io.fabric8.kubernetes.api.model.ISCSIPersistentVolumeSource;
import io.fabric8.kubernetes.api.model.ISCSIPersistentVolumeSourceBuilder;
import io.fabric8.kubernetes.api.model.ObjectReference;
import io.fabric8.kubernetes.api.model.ObjectReferenceBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Builds an iSCSI PersistentVolume, and its claim.
public final class IscsiVolume {
  private static final String BLOCK = "Block";
  private static final String STORAGE = "storage";
  private static final String NONE = "";

  private IscsiVolume() {}

  /// Returns the PersistentVolume for the claim that `spec.publish` names.
  ///
  /// @param present the claim; null if it does not exist. A claim that has lost its volume is bound
  ///   to a new volume only if the new volume names the claim's UID
  static PersistentVolume published(
      DynamicVolume owner,
      IscsiSource source,
      long bytes,
      Publish publish,
      @Nullable PersistentVolumeClaim present) {
    ObjectReference claim =
        new ObjectReferenceBuilder()
            .withApiVersion("v1")
            .withKind("PersistentVolumeClaim")
            .withNamespace(owner.getMetadata().getNamespace())
            .withName(publish.claimName())
            .withUid(present == null ? null : present.getMetadata().getUid())
            .build();
    return of(
        owner,
        VolumeNames.child(owner),
        source,
        bytes,
        new Use(claim, NONE, modes(publish), publish.readsOnly(), publish.chapSecret()));
  }

  /// The claim of a volume, and how the claim uses the volume.
  ///
  /// @param storageClass the class of the claim; empty for none
  /// @param chapSecret the Secret with which nodes log in to the target; it is in the claim's
  ///   namespace
  public record Use(
      ObjectReference claim,
      String storageClass,
      List<String> accessModes,
      boolean readOnly,
      @Nullable String chapSecret) {
    public Use {
      accessModes = List.copyOf(accessModes);
    }
  }

  /// Returns a PersistentVolume for the iSCSI disk of a dynamic volume.
  ///
  /// @param bytes size of the disk
  public static PersistentVolume of(
      DynamicVolume owner, String name, IscsiSource source, long bytes, Use use) {
    return new PersistentVolumeBuilder()
        .withMetadata(VolumeNames.metadata(owner, name).build())
        .withNewSpec()
        .addToCapacity(STORAGE, new Quantity(Long.toString(bytes)))
        .withAccessModes(use.accessModes())
        .withVolumeMode(BLOCK)
        .withStorageClassName(use.storageClass())
        // The container's volume is removed by `DELETE /volume`, after the deletion of the claim.
        .withPersistentVolumeReclaimPolicy("Retain")
        .withClaimRef(use.claim())
        .withIscsi(iscsi(source, use))
        .endSpec()
        .build();
  }

  private static ISCSIPersistentVolumeSource iscsi(IscsiSource source, Use use) {
    ISCSIPersistentVolumeSourceBuilder iscsi =
        new ISCSIPersistentVolumeSourceBuilder()
            .withTargetPortal(portal(source))
            .withIqn(source.portal())
            .withLun(source.lun())
            .withReadOnly(use.readOnly());
    if (use.chapSecret() != null) {
      iscsi
          .withChapAuthSession(true)
          // The kubelet runs discovery before the login, and the target requires CHAP for both.
          .withChapAuthDiscovery(true)
          .withNewSecretRef(use.chapSecret(), use.claim().getNamespace());
    }
    return iscsi.build();
  }

  private static String portal(IscsiSource source) {
    String host = source.hostName();
    return "%s:%d".formatted(host.contains(":") ? "[" + host + "]" : host, source.port());
  }

  static PersistentVolumeClaim claim(DynamicVolume owner, long bytes, Publish publish) {
    return new PersistentVolumeClaimBuilder()
        .withMetadata(VolumeNames.owned(owner, publish.claimName()).build())
        .withNewSpec()
        .withStorageClassName(NONE)
        .withVolumeMode(BLOCK)
        .withAccessModes(modes(publish))
        .withVolumeName(VolumeNames.child(owner))
        .withNewResources()
        .addToRequests(STORAGE, new Quantity(Long.toString(bytes)))
        .endResources()
        .endSpec()
        .build();
  }

  private static List<String> modes(Publish publish) {
    return List.of(publish.readsOnly() ? "ReadOnlyMany" : "ReadWriteOnce");
  }

  /// Returns whether the PersistentVolume refers to the disk in the container's answer; true if the
  /// PersistentVolume has no iSCSI source.
  static boolean leads(PersistentVolume volume, VolumeSource answered) {
    ISCSIPersistentVolumeSource led = volume.getSpec().getIscsi();
    return led == null
        || (answered instanceof IscsiSource source
            && portal(source).equals(led.getTargetPortal())
            && source.portal().equals(led.getIqn())
            && Integer.valueOf(source.lun()).equals(led.getLun()));
  }

  /// Returns whether a claim is bound to the volume. The volume's phase is Bound until the claim is
  /// deleted.
  static boolean bound(PersistentVolume volume) {
    return volume.getStatus() != null && "Bound".equals(volume.getStatus().getPhase());
  }

  /// Returns whether the claim that was bound to the volume is deleted.
  static boolean released(PersistentVolume volume) {
    return volume.getStatus() != null && "Released".equals(volume.getStatus().getPhase());
  }
}
