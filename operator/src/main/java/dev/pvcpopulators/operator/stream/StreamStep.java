package dev.pvcpopulators.operator.stream;

import dev.pvcpopulators.operator.api.DiskImage;
import dev.pvcpopulators.operator.api.DynamicVolume;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.storage.StorageClass;

/// The one thing to do next for a claim of a streaming class.
public sealed interface StreamStep {
  /// Nothing, and no write; a change of what was observed brings us back.
  record Nothing() implements StreamStep {}

  /// Creates the dynamic volume.
  ///
  /// @param accessMode of registry-stream-iscsi
  record CreateStream(String name, DiskImage image, String accessMode) implements StreamStep {}

  /// Makes the claim one of the owners of a stream that is there.
  record JoinStream(DynamicVolume stream) implements StreamStep {}

  /// Creates what the stream's pod needs: the Secret and the claim of the cache.
  ///
  /// @param disk what the claim asks for
  /// @param written whether the disk is written to
  record CreateChildren(
      DynamicVolume stream, Quantity disk, boolean written, StorageClass storageClass)
      implements StreamStep {}

  /// Creates the volume that the claim binds to.
  record CreateVolume(PersistentVolume volume) implements StreamStep {}
}
