package dev.pvcpopulators.registry.disk;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.registry.DamageDetectingBlobStore;
import dev.pvcpopulators.registry.Descriptor;
import dev.pvcpopulators.registry.TransferListener;
import dev.pvcpopulators.registry.layer.PulledBlob;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;

/// The layers of one image and the store that they are pulled from.
///
/// @param layers the layers, from the bottom up
record LayerSource(
    List<Descriptor> layers, DamageDetectingBlobStore blobs, SearchListener listener) {
  LayerSource {
    layers = List.copyOf(layers);
  }

  int top() {
    return layers.size() - 1;
  }

  Descriptor layer(int index) {
    return layers.get(index);
  }

  /// Reads a layer.
  @FunctionalInterface
  interface Reading<T> {
    T run() throws IOException;
  }

  /// Reads a layer. If that fails, closes the reader, and determines the cause of a decoder's
  /// failure as [DamageDetectingBlobStore#judged] does.
  ///
  /// @param index the index of the layer
  /// @param reader the reader of the layer; stays open if the reading succeeds
  <T> T read(int index, Closeable reader, Reading<T> reading) throws IOException {
    try {
      return reading.run();
    } catch (MalformedImageException e) {
      throw blobs.judged(layers.get(index).digest(), reader, e);
    } catch (Throwable e) {
      try (reader) {
        throw e;
      }
    }
  }

  /// Starts pulling a layer and informs the listener.
  ///
  /// @param index the index of the layer; 0 is the lowest layer
  /// @param counter receives the same byte counts as the listener
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
