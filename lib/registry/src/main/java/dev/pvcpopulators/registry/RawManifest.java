package dev.pvcpopulators.registry;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pvcpopulators.diskimage.MalformedImageException;

/// A manifest or index as it was stored.
///
/// @param mediaType what the source called it; empty if it did not
/// @param digest of its bytes
/// @param document its bytes, read as JSON
public record RawManifest(String mediaType, Digest digest, JsonNode document) {
  private static final String STRUCTURE = "manifest";

  /// Reads a manifest or index.
  ///
  /// @param digest of the bytes; the caller has compared it with what was asked for
  /// @throws MalformedImageException if the bytes are no JSON object, or longer than
  ///   [RegistryLimits#MANIFEST_LENGTH]
  public static RawManifest parse(String mediaType, Digest digest, byte[] bytes)
      throws MalformedImageException {
    return new RawManifest(mediaType, digest, ManifestJson.read(bytes, STRUCTURE));
  }

  /// The document, for reading it.
  JsonValue root() {
    return JsonValue.root(STRUCTURE, document);
  }
}
