package dev.pvcpopulators.operator;

import dev.pvcpopulators.operator.api.DiskImage;
import dev.pvcpopulators.operator.api.DynamicVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;

/// The kinds that several controllers watch.
record SharedWatches(
    SharedWatch<PersistentVolumeClaim> claims,
    SharedWatch<DiskImage> images,
    SharedWatch<DynamicVolume> dynamicVolumes) {
  SharedWatches() {
    this(
        new SharedWatch<>(PersistentVolumeClaim.class),
        new SharedWatch<>(DiskImage.class),
        new SharedWatch<>(DynamicVolume.class));
  }
}
