package dev.pvcpopulators.registry;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pvcpopulators.diskimage.MalformedImageException;

/// A manifest or index as JSON; [ManifestDocument#read] reads its fields.
///
/// @param mediaType the media type that the source gave; empty if the source gave none
/// @param digest the digest of the document's bytes; for an archive of `docker save`, the digest of
///   the configuration
/// @param document the parsed JSON
public record RawManifest(String mediaType, Digest digest, JsonNode document) {
  private static final String STRUCTURE = "manifest";

  /// Parses a manifest or index.
  ///
  /// @param digest the digest of the bytes, which the caller must have compared with the requested
  ///   digest
  /// @throws MalformedImageException if the bytes are not a JSON object, or exceed a limit of
  ///   [ManifestJson#read]
  public static RawManifest parse(String mediaType, Digest digest, byte[] bytes)
      throws MalformedImageException {
    return new RawManifest(mediaType, digest, ManifestJson.read(bytes, STRUCTURE));
  }

  /// Returns the root of the document.
  JsonValue root() {
    return JsonValue.root(STRUCTURE, document);
  }
}
