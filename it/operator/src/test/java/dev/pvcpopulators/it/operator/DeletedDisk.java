package dev.pvcpopulators.it.operator;

import dev.pvcpopulators.it.IscsiLun;
import dev.pvcpopulators.it.operator.FaultProxy.Write;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import java.util.Optional;

/// The network disk of a round ([Deletion]), with its DynamicVolume and its claim.
sealed interface DeletedDisk permits PublishedDisk, StreamedDisk {
  /// One of the operator's writes between the creation of the disk and the binding of its claim.
  sealed interface Point permits PublishedDisk.Writes, StreamedDisk.Writes {
    /// Returns whether `write` is this write of the operator.
    boolean is(Write write);
  }

  /// Creates the objects that a user must create before the disk.
  void prepare();

  void create();

  /// Removes the disk, as a user does.
  void remove();

  /// Returns whether the operator removes the disk after the deletion of an object of this kind.
  boolean endsWith(Deletion.Subject deleted);

  /// Returns a reference to the disk's DynamicVolume, even if the API server has no such object.
  Dynamic volume();

  /// Returns the disk's claim; empty if there is none.
  Optional<PersistentVolumeClaim> claim();

  /// Returns the LUN of the disk's volume, with a pod's address instead of the portal's address.
  /// Without a kube-proxy, no client can connect to the portal's address.
  IscsiLun lun(PersistentVolume volume, String address);
}
