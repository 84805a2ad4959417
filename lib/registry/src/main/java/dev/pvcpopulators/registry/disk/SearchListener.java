package dev.pvcpopulators.registry.disk;

import dev.pvcpopulators.registry.Descriptor;

/// Receives the progress of a search, and of the transfer of the disk that the search finds.
/// Implementations must return quickly.
public interface SearchListener {
  /// A listener that does nothing.
  SearchListener NONE = new SearchListener() {};

  /// Called when the pull of a layer starts, on the thread that searches or opens the disk.
  ///
  /// @param fromTop the number of layers above this layer: 0 for the topmost layer, which is the
  ///   last in the manifest
  default void layer(Descriptor layer, int fromTop) {}

  /// Called when more bytes of the layer have arrived, on the thread that pulls it.
  ///
  /// @param bytes the number of bytes since the last call, counted before decompression
  default void received(long bytes) {}

  /// Called before layers are pulled again. The bytes of these layers were already counted. Layers
  /// are pulled again if the search follows a link, or if the disk is read again. The next call,
  /// apart from [#received], is [#layer].
  default void restarted() {}
}
