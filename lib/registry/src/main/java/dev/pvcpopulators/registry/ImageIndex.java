package dev.pvcpopulators.registry;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/// A list of manifests, of either family (OCI image-spec 1.1, image-index.md; Docker manifest
/// list).
///
/// @param mediaType its own; empty where it has none
/// @param artifactType what an artifact says it is; empty where it does not
/// @param entries in the index's order, at most [RegistryLimits#INDEX_ENTRIES]
public record ImageIndex(
    String mediaType, String artifactType, List<Entry> entries, Map<String, String> annotations)
    implements ManifestDocument {
  public ImageIndex {
    entries = List.copyOf(entries);
    annotations = Map.copyOf(annotations);
  }

  /// One manifest, or one more index.
  ///
  /// @param platform empty where the entry says none
  /// @param artifactType of the manifest; empty where the entry says none
  public record Entry(Descriptor descriptor, Optional<Platform> platform, String artifactType) {}
}
