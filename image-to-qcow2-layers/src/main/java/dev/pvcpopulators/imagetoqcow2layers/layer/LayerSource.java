package dev.pvcpopulators.imagetoqcow2layers.layer;

import dev.pvcpopulators.registry.Descriptor;
import dev.pvcpopulators.registry.Digest;

/// One layer of an image, as its manifest and its configuration name it.
///
/// @param descriptor its blob, as it is compressed
/// @param diffId digest of its tar
public record LayerSource(Descriptor descriptor, Digest diffId) {}
