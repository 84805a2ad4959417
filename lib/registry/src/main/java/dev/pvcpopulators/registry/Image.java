package dev.pvcpopulators.registry;

import java.util.Optional;

/// One image for one platform.
///
/// @param reference the reference by which the image was requested
/// @param digest the digest of the image's manifest
/// @param platform the platform that an index gives for the image, else that of its configuration;
///   empty if neither gives one (artifacts)
/// @param config empty if the manifest's configuration is not that of an image (artifacts)
public record Image(
    String reference,
    Digest digest,
    Optional<Platform> platform,
    Manifest manifest,
    Optional<ImageConfig> config) {}
