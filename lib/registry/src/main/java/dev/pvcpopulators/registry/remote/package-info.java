/// Images from registries: references and credentials by Jib, HTTP by ourselves, so that a cut
/// connection is resumed, a private certificate authority holds for one source only, and nothing
/// that a registry sends is unbounded.
///
/// Specifications: OCI distribution-spec 1.1, Docker registry token authentication, RFC 9110
/// (challenges, ranges, redirects, `Retry-After`), RFC 6749 §6.
@NullMarked
package dev.pvcpopulators.registry.remote;

import org.jspecify.annotations.NullMarked;
