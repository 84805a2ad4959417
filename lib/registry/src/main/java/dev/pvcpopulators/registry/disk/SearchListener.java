package dev.pvcpopulators.registry.disk;

import dev.pvcpopulators.registry.Descriptor;

/// Receives the progress of a search and of the transfer of its disk. Implementations must return
/// quickly.
public interface SearchListener {
  /// A listener that does nothing.
  SearchListener NONE = new SearchListener() {};

  /// Called when the pull of a layer starts, on the thread that searches or opens the disk.
  ///
  /// @param fromTop 0 for the topmost, or last, layer
  default void layer(Descriptor layer, int fromTop) {}

  /// Called when more bytes of the layer have arrived, on the thread that pulls it.
  ///
  /// @param bytes since the last call, compressed as they are in the source
  default void received(long bytes) {}

  /// Called before counted bytes arrive again, because a link points to another file or the disk is
  /// read again. The next call is [#layer].
  default void restarted() {}
}
