package dev.pvcpopulators.registry;

import com.fasterxml.jackson.databind.JsonNode;

/// A manifest or index as it was stored.
///
/// @param mediaType what the source called it; empty where it did not
/// @param digest of its bytes
/// @param document its bytes, read as JSON
public record RawManifest(String mediaType, Digest digest, JsonNode document) {}
