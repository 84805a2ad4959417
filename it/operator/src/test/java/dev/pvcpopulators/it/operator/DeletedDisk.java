package dev.pvcpopulators.it.operator;

import dev.pvcpopulators.it.IscsiLun;
import dev.pvcpopulators.it.operator.FaultProxy.Write;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import java.util.Optional;

/// The network disk of one round of [Deletion], with a DynamicVolume and a claim.
sealed interface DeletedDisk permits PublishedDisk, StreamedDisk {
  /// A write of the operator, from the creation of the disk to its bound claim.
  sealed interface Point permits PublishedDisk.Writes, StreamedDisk.Writes {
    boolean is(Write write);
  }

  /// Creates what the user needs before the disk.
  void prepare();

  /// Creates the disk.
  void create();

  /// Removes the disk, as its user does.
  void remove();

  /// Returns whether the disk is no longer wanted after the deletion of its DynamicVolume or claim.
  boolean endsWith(Deletion.Subject deleted);

  /// Returns its DynamicVolume, which may not exist.
  Dynamic volume();

  /// Returns its claim.
  Optional<PersistentVolumeClaim> claim();

  /// Returns the LUN of its volume at a pod's address; no kube-proxy serves the portal.
  IscsiLun lun(PersistentVolume volume, String address);
}
