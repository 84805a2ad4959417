package dev.pvcpopulators.operator.stream;

import dev.pvcpopulators.operator.api.DiskImage;
import dev.pvcpopulators.operator.api.DynamicVolume;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.storage.StorageClass;
import org.jspecify.annotations.Nullable;

/// The observed state of one claim of a streaming class. A parameter is null if the object does not
/// exist.
///
/// @param image the DiskImage that the claim names
/// @param storageClass the claim's class
/// @param stream the dynamic volume of the claim; several claims may share it
/// @param cache the claim that stores the stream's data
/// @param volume the PersistentVolume that was created for the claim
public record StreamObserved(
    PersistentVolumeClaim claim,
    @Nullable DiskImage image,
    @Nullable StorageClass storageClass,
    @Nullable DynamicVolume stream,
    @Nullable PersistentVolumeClaim cache,
    @Nullable PersistentVolume volume) {}
