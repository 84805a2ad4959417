package dev.pvcpopulators.registry;

/// Bounds of what a source can make us keep.
public final class RegistryLimits {
  /// Bytes of a manifest, an index or a configuration: what registries accept (OCI
  /// distribution-spec 1.1, "Pushing Manifests").
  public static final int MANIFEST_LENGTH = 4 << 20;

  /// Layers of an image. Docker's limit is 127, containerd has none.
  static final int LAYERS = 1_000;

  private RegistryLimits() {}
}
