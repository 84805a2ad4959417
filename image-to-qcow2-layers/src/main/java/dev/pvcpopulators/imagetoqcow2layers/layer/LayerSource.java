package dev.pvcpopulators.imagetoqcow2layers.layer;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.registry.Descriptor;
import dev.pvcpopulators.registry.Digest;
import dev.pvcpopulators.registry.Image;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// One layer of an image, as the image's manifest and configuration describe it.
///
/// @param descriptor the descriptor of the layer's blob
/// @param diffId the digest of the layer's tar
public record LayerSource(Descriptor descriptor, Digest diffId) {
  /// Returns the layers of an image, from the bottom up.
  ///
  /// @throws UnsupportedFeatureException if the image is an artifact, or has no layers
  /// @throws MalformedImageException if manifest and configuration disagree on the number of layers
  public static List<LayerSource> of(Image image) throws IOException {
    List<Digest> diffIds =
        image
            .config()
            .orElseThrow(() ->
                new UnsupportedFeatureException(
                    "The image is an artifact: expected an image with a configuration and layers"))
            .diffIds();
    List<Descriptor> descriptors = image.manifest().layers();
    if (diffIds.size() != descriptors.size()) {
      throw new MalformedImageException(
          "image configuration",
          -1,
          "expected one diff ID for each of %d layers, found %d"
              .formatted(descriptors.size(), diffIds.size()));
    }
    if (diffIds.isEmpty()) {
      throw new UnsupportedFeatureException("The image has no layers, so it has no program to run");
    }
    List<LayerSource> layers = new ArrayList<>(diffIds.size());
    for (int i = 0; i < diffIds.size(); i++) {
      layers.add(new LayerSource(descriptors.get(i), diffIds.get(i)));
    }
    return layers;
  }
}
