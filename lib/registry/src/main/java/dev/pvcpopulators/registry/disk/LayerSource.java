package dev.pvcpopulators.registry.disk;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.registry.BlobRest;
import dev.pvcpopulators.registry.Descriptor;
import dev.pvcpopulators.registry.TransferListener;
import dev.pvcpopulators.registry.layer.PulledBlob;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;

/// The layers of one image and where they are pulled from.
///
/// @param layers from the bottom up
record LayerSource(List<Descriptor> layers, BlobRest blobs, SearchListener listener) {
  LayerSource {
    layers = List.copyOf(layers);
  }

  int top() {
    return layers.size() - 1;
  }

  Descriptor layer(int index) {
    return layers.get(index);
  }

  /// As [BlobRest#judged].
  ///
  /// @param index of the layer that was decoded
  /// @param reader whatever reads the layer; closed
  IOException judged(int index, Closeable reader, MalformedImageException failure) {
    return blobs.judged(layers.get(index).digest(), reader, failure);
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
