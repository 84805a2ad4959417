/// Container images as a service's source: access to registries, the choice of the image, and the
/// failures that clients see. For services that use `lib/registry`.
@NullMarked
package dev.pvcpopulators.kit.source;

import org.jspecify.annotations.NullMarked;
