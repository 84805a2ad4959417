package dev.pvcpopulators.registry.disk;

import dev.pvcpopulators.registry.BlobStore;
import dev.pvcpopulators.registry.Descriptor;
import dev.pvcpopulators.registry.TransferListener;
import dev.pvcpopulators.registry.layer.PulledBlob;
import java.io.IOException;
import java.util.List;

/// The layers of one image and where they are pulled from.
///
/// @param layers from the bottom up
record LayerSource(List<Descriptor> layers, BlobStore blobs, SearchListener listener) {
  LayerSource {
    layers = List.copyOf(layers);
  }

  int top() {
    return layers.size() - 1;
  }

  Descriptor layer(int index) {
    return layers.get(index);
  }

  /// Begins to pull a layer and says so.
  ///
  /// @param index counted from the bottom
  /// @param counter hears of the same bytes as the listener
  PulledBlob pull(int index, TransferListener counter) throws IOException {
    Descriptor layer = layers.get(index);
    listener.layer(layer, top() - index);
    return PulledBlob.start(
        blobs.blob(
            layer,
            bytes -> {
              counter.received(bytes);
              listener.received(bytes);
            }));
  }
}
