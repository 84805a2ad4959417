package dev.pvcpopulators.registry;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;

/// The document that a reference names: the manifest of one image, or an index of images.
public sealed interface ManifestDocument permits Manifest, ImageIndex {
  /// Reads a document of either type.
  ///
  /// The fields `manifests`, `layers` and `config` determine the type. The media type in the
  /// document and the media type that the source gave must not contradict these fields; both media
  /// types are optional. A document with the fields of both types is refused, because two readers
  /// could see two different images under one digest (CVE-2021-41190).
  ///
  /// @throws MalformedImageException if a required field is missing; if a field has the wrong type
  ///   or exceeds [RegistryLimits]; if the document has the fields of both types; or if a media
  ///   type contradicts the fields
  /// @throws UnsupportedFeatureException if the document has Docker's schema 1 or a schema version
  ///   other than 2, or if the algorithm of a digest is not in [Digest.Algorithm]
  static ManifestDocument read(RawManifest raw)
      throws MalformedImageException, UnsupportedFeatureException {
    return read(raw.root(), raw.mediaType());
  }

  /// Reads a parsed document. [#read(RawManifest)] states the checks and the exceptions.
  ///
  /// @param root the document
  /// @param stored the media type that the source gave; empty if it gave none
  static ManifestDocument read(JsonValue root, String stored)
      throws MalformedImageException, UnsupportedFeatureException {
    return ManifestReader.read(root, stored);
  }
}
