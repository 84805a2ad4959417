package dev.pvcpopulators.operator.stream;

import dev.pvcpopulators.operator.api.DiskImage;
import dev.pvcpopulators.operator.api.DynamicVolume;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.storage.StorageClass;

/// The next step for a claim of a streaming class.
public sealed interface StreamStep {
  /// Does nothing; a change of the observed state triggers the next reconciliation. If the plan has
  /// a report, the report is still written as an event.
  record Nothing() implements StreamStep {}

  /// Creates the dynamic volume.
  ///
  /// @param accessMode the value of `REGISTRY_STREAM_ISCSI_ACCESS_MODE` for the stream's container
  record CreateStream(String name, DiskImage image, String accessMode) implements StreamStep {}

  /// Waits for the removal of a stream. Events of a stream trigger a reconciliation of its owners
  /// only, and the stream may have other owners, so this step is repeated soon.
  record AwaitRemoval() implements StreamStep {}

  /// Makes the claim one of the owners of an existing stream.
  record JoinStream(DynamicVolume stream) implements StreamStep {}

  /// Creates the Secret and the cache's claim, which the stream's pod needs.
  ///
  /// @param disk the storage that the user's claim requests
  /// @param written whether the disk is writable
  record CreateChildren(
      DynamicVolume stream, Quantity disk, boolean written, StorageClass storageClass)
      implements StreamStep {}

  /// Creates the volume that the claim binds to.
  record CreateVolume(PersistentVolume volume) implements StreamStep {}
}
