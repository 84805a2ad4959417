package dev.pvcpopulators.registry;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/// A list of manifests in the format of OCI (OCI image-spec 1.1, image-index.md) or Docker
/// (manifest list).
///
/// @param mediaType the index's field `mediaType`; empty if the index does not have the field
/// @param artifactType the index's field `artifactType`; empty if the index does not have the field
/// @param entries the entries in the order of the index, at most [RegistryLimits#INDEX_ENTRIES]
public record ImageIndex(
    String mediaType, String artifactType, List<Entry> entries, Map<String, String> annotations)
    implements ManifestDocument {
  public ImageIndex {
    entries = List.copyOf(entries);
    annotations = Map.copyOf(annotations);
  }

  /// An entry, which refers to one manifest or to a nested index.
  ///
  /// @param platform the platform that the entry gives for the manifest; empty if the entry gives
  ///   none
  /// @param artifactType the artifact type that the entry gives for the manifest; empty if the
  ///   entry gives none
  public record Entry(Descriptor descriptor, Optional<Platform> platform, String artifactType) {
    private static final String REFERENCE_TYPE = "vnd.docker.reference.type";
    private static final String UNKNOWN = "unknown";

    /// Returns whether the entry refers to an image or to an index of images. An entry without a
    /// media type counts as an image. If the media type is neither that of a manifest nor that of
    /// an index, the entry must be ignored (OCI image-spec 1.1, image-index.md). An attestation is
    /// not an image: an attestation describes how the image of another entry was built.
    public boolean image() {
      String mediaType = descriptor.mediaType();
      boolean known = MediaTypes.manifest(mediaType) || MediaTypes.index(mediaType);
      return (known || mediaType.isEmpty()) && !attestation();
    }

    /// Returns whether the entry refers to an attestation (BuildKit, "Attestation storage").
    private boolean attestation() {
      return "attestation-manifest".equals(descriptor.annotations().get(REFERENCE_TYPE))
          || platform
              .filter(it -> it.os().equals(UNKNOWN) && it.architecture().equals(UNKNOWN))
              .isPresent();
    }
  }
}
