package dev.pvcpopulators.registry;

import java.util.List;
import java.util.Map;

/// An image manifest in the format of OCI (OCI image-spec 1.1, manifest.md) or Docker (image
/// manifest version 2 schema 2).
///
/// @param mediaType the manifest's field `mediaType`; empty if the manifest does not have the field
/// @param artifactType the manifest's field `artifactType`; empty if the manifest does not have the
///   field
/// @param layers the layers, from the bottom up; at most [RegistryLimits#LAYERS]
public record Manifest(
    String mediaType,
    String artifactType,
    Descriptor config,
    List<Descriptor> layers,
    Map<String, String> annotations)
    implements ManifestDocument {
  public Manifest {
    layers = List.copyOf(layers);
    annotations = Map.copyOf(annotations);
  }
}
