package dev.pvcpopulators.registry;

import java.util.Optional;

/// One image for one platform.
///
/// @param reference what it was asked for by
/// @param digest of its manifest
/// @param platform what it says it is for; empty if it does not say (artifacts)
/// @param config empty if the manifest's configuration is not an image's (artifacts)
public record Image(
    String reference,
    Digest digest,
    Optional<Platform> platform,
    Manifest manifest,
    Optional<ImageConfig> config) {}
