package dev.pvcpopulators.registry.disk;

import dev.pvcpopulators.registry.Descriptor;

/// Hears how a search, and the transfer of the disk that it found, go on. Returns quickly.
public interface SearchListener {
  /// Hears nothing.
  SearchListener NONE = new SearchListener() {};

  /// A layer begins to be pulled, on the thread that searches or opens the disk.
  ///
  /// @param fromTop 0 for the topmost, or last, layer
  default void layer(Descriptor layer, int fromTop) {}

  /// More bytes of the layer came, on the thread that pulls it.
  ///
  /// @param bytes since the last call, compressed as they are in the source
  default void received(long bytes) {}

  /// What was counted before will come again, because a link leads elsewhere or the disk is read
  /// once more. The next call is [#layer].
  default void restarted() {}
}
