/// Images from registries. Jib is used only for the names of Docker Hub, credentials and
/// authorization headers. The requests do not use Jib, so that a lost connection is resumed, a
/// private certificate authority applies to one source only, and everything that a registry sends
/// is bounded.
///
/// Specifications: OCI distribution-spec 1.1, Docker registry token authentication, RFC 9110
/// (challenges, ranges, redirects, `Retry-After`), RFC 6749 §6.
@NullMarked
package dev.pvcpopulators.registry.remote;

import org.jspecify.annotations.NullMarked;
