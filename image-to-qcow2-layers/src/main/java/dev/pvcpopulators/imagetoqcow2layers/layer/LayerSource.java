package dev.pvcpopulators.imagetoqcow2layers.layer;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.registry.Descriptor;
import dev.pvcpopulators.registry.Digest;
import dev.pvcpopulators.registry.Image;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// One layer of an image, as its manifest and its configuration name it.
///
/// @param descriptor the descriptor of its compressed blob
/// @param diffId the digest of its tar
public record LayerSource(Descriptor descriptor, Digest diffId) {
  /// Returns the layers of an image, from the bottom up.
  ///
  /// @throws UnsupportedFeatureException if it is an artifact, or has no layers
  /// @throws MalformedImageException if manifest and configuration disagree on their number
  public static List<LayerSource> of(Image image) throws IOException {
    List<Digest> diffIds =
        image
            .config()
            .orElseThrow(() ->
                new UnsupportedFeatureException(
                    image.reference() + ": expected a container image, found another artifact"))
            .diffIds();
    List<Descriptor> descriptors = image.manifest().layers();
    if (diffIds.size() != descriptors.size()) {
      throw new MalformedImageException(
          "configuration",
          -1,
          "expected %d diff IDs, as many as the manifest has layers, found %d"
              .formatted(descriptors.size(), diffIds.size()));
    }
    if (diffIds.isEmpty()) {
      throw new UnsupportedFeatureException(image.reference() + ": the image has no layers");
    }
    List<LayerSource> layers = new ArrayList<>(diffIds.size());
    for (int i = 0; i < diffIds.size(); i++) {
      layers.add(new LayerSource(descriptors.get(i), diffIds.get(i)));
    }
    return layers;
  }
}
