package dev.pvcpopulators.registry.disk;

/// What a layer means for the search.
sealed interface Verdict {
  /// The disk is in it, and the stream stands at its first byte.
  ///
  /// @param disk owned by the receiver of this verdict
  record Found(LayerDisk disk) implements Verdict {}

  /// The disk is where a link leads.
  ///
  /// @param sameLayer true for a hard link: it is the file that this layer knows by the other name,
  ///   even where a layer above has replaced that name. A symbolic link is followed in the image as
  ///   a whole
  record Follow(Goal goal, boolean sameLayer) implements Verdict {}

  /// The next layer is looked into.
  record Below(UpperLayers above) implements Verdict {}

  /// All layers below are hidden.
  record Nothing() implements Verdict {}
}
