package dev.pvcpopulators.registry.disk;

/// The result of searching a layer.
sealed interface LayerSearchResult {
  /// The layer contains the disk, and the stream is positioned at the disk's first byte.
  ///
  /// @param disk the stream of the disk; owned by the receiver of this result
  record Found(LayerDisk disk) implements LayerSearchResult {}

  /// The entry at the goal's path, or at the path of the goal's directory or of an ancestor of that
  /// directory, is a link.
  ///
  /// @param sameLayer true for a hard link: the search for its target starts in this layer, even if
  ///   a layer above has replaced the target. False for a symbolic link: the search for its target
  ///   starts in the topmost layer
  record Follow(SearchTarget goal, boolean sameLayer) implements LayerSearchResult {}

  /// The search continues in the next lower layer.
  record Below(UpperLayers above) implements LayerSearchResult {}

  /// The layer has no disk, and hides the goal in all layers below.
  record Nothing() implements LayerSearchResult {}
}
