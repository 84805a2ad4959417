package dev.pvcpopulators.operator.client;

import dev.pvcpopulators.operator.api.DiskImage;
import dev.pvcpopulators.operator.api.DynamicVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;

/// The watches that several controllers share.
public record SharedWatches(
    SharedWatch<PersistentVolumeClaim> claims,
    SharedWatch<DiskImage> images,
    SharedWatch<DynamicVolume> dynamicVolumes) {
  /// Creates the watches. The controller of each kind registers the kind's watch later
  /// ([SharedWatch#owner]).
  public SharedWatches() {
    this(
        new SharedWatch<>(PersistentVolumeClaim.class),
        new SharedWatch<>(DiskImage.class),
        new SharedWatch<>(DynamicVolume.class));
  }
}
