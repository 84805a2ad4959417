package dev.pvcpopulators.registry;

import java.util.Optional;

/// One image for one platform.
///
/// @param reference the reference by which the image was requested
/// @param digest the digest of the image's manifest
/// @param platform the platform that an index gives for the image. If no index gives a platform,
///   the platform in the image's configuration. Empty if the configuration gives none either, as
///   for artifacts
/// @param config the image's configuration; empty for an artifact, whose manifest refers to content
///   of another type instead
public record Image(
    String reference,
    Digest digest,
    Optional<Platform> platform,
    Manifest manifest,
    Optional<ImageConfig> config) {}
