package dev.pvcpopulators.imagetoqcow2layers.store;

import dev.pvcpopulators.ext4.Geometry;
import dev.pvcpopulators.imagetoqcow2layers.layer.LayerListener;
import dev.pvcpopulators.imagetoqcow2layers.layer.LayerSource;
import dev.pvcpopulators.registry.BlobStore;
import java.io.IOException;
import java.util.List;

/// Makes the layers of one image that the store has not.
@SuppressWarnings("DoNotCallSuggester")
public final class StackConversion {
  private StackConversion() {}

  /// What is made, and how.
  ///
  /// @param layers from the bottom up, at least one
  public record Stack(List<LayerSource> layers, Geometry geometry, boolean compression) {
    public Stack {
      layers = List.copyOf(layers);
    }
  }

  /// What came of it.
  ///
  /// @param keys of the layers, from the bottom up; all are in the store now
  /// @param made how many of them, from the top down, were not there before
  public record Converted(List<LayerKey> keys, int made) {
    public Converted {
      keys = List.copyOf(keys);
    }
  }

  /// Converts. Pulls nothing of the layers that are there already.
  ///
  /// @throws dev.pvcpopulators.ext4.FileSystemFullException naming the size that all layers need
  public static Converted run(
      Stack stack, BlobStore blobs, LayerStore store, LayerListener listener)
      throws IOException, InterruptedException {
    throw new UnsupportedOperationException("skeleton");
  }
}
