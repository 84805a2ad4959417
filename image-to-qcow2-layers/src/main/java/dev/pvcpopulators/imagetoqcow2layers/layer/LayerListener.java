package dev.pvcpopulators.imagetoqcow2layers.layer;

/// Receives the progress of layers, each call on the thread that works on the layer; several layers
/// may be in progress. Implementations return quickly.
public interface LayerListener {
  /// Called when bytes of a layer's compressed blob were received.
  void received(LayerSource layer, long bytes);

  /// Called when bytes of a layer's decompressed tar were read.
  void applied(LayerSource layer, long bytes);

  /// Called when the layer is in the store.
  ///
  /// @param made true if this process made the layer; false if the layer existed, or another
  ///   process made it meanwhile
  void stored(LayerSource layer, boolean made);
}
