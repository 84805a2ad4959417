package dev.pvcpopulators.imagetoqcow2layers.store;

import dev.pvcpopulators.ext4.Geometry;
import dev.pvcpopulators.registry.Digest;
import java.util.List;

/// What a layer's file is named by: everything that its bytes depend on.
///
/// @param geometry of the file system
/// @param compression whether clusters are compressed
/// @param chainId of the layer and all below it (OCI image-spec 1.1, config.md, "Layer ChainID")
@SuppressWarnings("DoNotCallSuggester")
public record LayerKey(Geometry geometry, boolean compression, Digest chainId) {
  /// Changes with every change of the bytes that the same layers give.
  public static final int WRITER_VERSION = 1;

  /// The keys of an image's layers, from the bottom up.
  public static List<LayerKey> of(Geometry geometry, boolean compression, List<Digest> diffIds) {
    throw new UnsupportedOperationException("skeleton");
  }

  /// `<chain ID>-v1-10240m.qcow2`, or `…-10240m-zstd.qcow2`.
  public String fileName() {
    throw new UnsupportedOperationException("skeleton");
  }
}
