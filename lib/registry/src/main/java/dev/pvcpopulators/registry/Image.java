package dev.pvcpopulators.registry;

import java.util.Optional;

/// One image or artifact, for one platform.
///
/// @param reference the reference by which the image was requested
/// @param digest the digest of the image's manifest
/// @param platform the platform that the innermost index gives for the image; indexes that give no
///   platform are ignored. If no index gives a platform, this is the platform in the image's
///   configuration. Empty if neither an index nor the configuration gives a platform
/// @param config the image's configuration; empty if the manifest's field `config` refers to
///   content of another type, as in most artifacts
public record Image(
    String reference,
    Digest digest,
    Optional<Platform> platform,
    Manifest manifest,
    Optional<ImageConfig> config) {}
