/// Downloads over HTTP: bounded requests, a redirect policy, ranges and resuming, retries, proxies,
/// private certificate authorities, and the permitted addresses of connections.
///
/// Specifications: RFC 9110 (ranges, conditional requests, redirects, `Retry-After`), RFC 9112.
@NullMarked
package dev.pvcpopulators.http;

import org.jspecify.annotations.NullMarked;
