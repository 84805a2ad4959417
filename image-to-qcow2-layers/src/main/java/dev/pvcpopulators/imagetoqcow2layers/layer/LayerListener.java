package dev.pvcpopulators.imagetoqcow2layers.layer;

/// Receives the progress of layers. Each method is called on the thread that does the reported
/// work. Several layers may be in progress at the same time, so implementations must be
/// thread-safe. The methods must return quickly.
public interface LayerListener {
  /// Called after bytes of a layer's blob were received.
  ///
  /// @param bytes the number of bytes since the previous call for this layer
  void received(LayerSource layer, long bytes);

  /// Called after bytes of a layer's decompressed tar were read.
  ///
  /// @param bytes the number of bytes since the previous call for this layer
  void applied(LayerSource layer, long bytes);

  /// Called after the layer was stored, or was found in the store.
  ///
  /// @param made true if this conversion made the layer; false if the layer existed already, or if
  ///   another conversion made it
  void stored(LayerSource layer, boolean made);
}
