package dev.pvcpopulators.imagetoqcow2layers.layer;

/// Hears how a layer comes along, each call on the thread that works on it; for several layers at
/// once. Returns quickly.
public interface LayerListener {
  /// Bytes of a layer's blob came, as it is compressed.
  void received(LayerSource layer, long bytes);

  /// Bytes of a layer's tar were applied.
  void applied(LayerSource layer, long bytes);

  /// The layer is in the store.
  ///
  /// @param made now; false where it was there before, or somebody else has made it meanwhile
  void stored(LayerSource layer, boolean made);
}
