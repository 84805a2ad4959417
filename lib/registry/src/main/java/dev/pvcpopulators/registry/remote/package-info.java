/// Access to images in registries. This package uses three classes of Jib: `Credential`,
/// `Authorization` (for authorization headers) and `RegistryAliasGroup` (for the aliases of Docker
/// Hub). The requests do not use Jib, for three reasons: a lost connection must be resumed, a
/// private certificate authority must apply to one source only, and the length of everything that a
/// registry sends must be bounded.
///
/// Specifications: OCI distribution-spec 1.1, Docker registry token authentication, RFC 9110
/// (challenges, ranges, redirects, `Retry-After`), RFC 6749 §6.
@NullMarked
package dev.pvcpopulators.registry.remote;

import org.jspecify.annotations.NullMarked;
