package dev.pvcpopulators.registry;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;

/// The document that a reference leads to: one image, or an index of several.
public sealed interface ManifestDocument permits Manifest, ImageIndex {
  /// Reads a document of either kind.
  ///
  /// The kind is what its fields show. The media type, which OCI lets a document leave out, must
  /// not contradict them, and a document with the fields of both is refused: two readers could see
  /// two images under one digest (CVE-2021-41190).
  ///
  /// @throws MalformedImageException if a field is missing that must be there, has another type
  ///   than the specification says, or is more than [RegistryLimits] allows
  /// @throws UnsupportedFeatureException for Docker's schema 1, other schemas than 2, other digests
  ///   than sha256 and sha512
  static ManifestDocument read(RawManifest raw)
      throws MalformedImageException, UnsupportedFeatureException {
    return read(raw.root(), raw.mediaType());
  }

  /// As the method above.
  ///
  /// @param root the document
  /// @param stored the media type that the source gave; empty if it gave none
  static ManifestDocument read(JsonValue root, String stored)
      throws MalformedImageException, UnsupportedFeatureException {
    return ManifestReader.read(root, stored);
  }
}
