package dev.pvcpopulators.imagetoqcow2layers.layer;

/// Receives the progress of layers. Each call is on the thread that works on the layer; several
/// layers may be in progress at the same time. Implementations must return quickly.
public interface LayerListener {
  /// Called when bytes of a layer's blob were received.
  void received(LayerSource layer, long bytes);

  /// Called when bytes of a layer's decompressed tar were read.
  void applied(LayerSource layer, long bytes);

  /// Called when the layer is in the store.
  ///
  /// @param made true if this process made the layer; false if the layer existed already, or if
  ///   another process made it
  void stored(LayerSource layer, boolean made);
}
