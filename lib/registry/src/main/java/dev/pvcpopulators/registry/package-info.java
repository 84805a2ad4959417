/// The parts of a container image, independent of its location: references, digests, manifests,
/// configurations, and blobs that are verified while they are read.
///
/// Specifications: OCI image-spec 1.1, OCI distribution-spec 1.1, Docker image manifest version 2
/// schema 2, Docker image specification 1.2 (`docker save`).
@NullMarked
package dev.pvcpopulators.registry;

import org.jspecify.annotations.NullMarked;
