/// The source of a service's disk: settings for connections, access to registries, the choice of
/// the image, and the failures that clients see.
@NullMarked
package dev.pvcpopulators.kit.source;

import org.jspecify.annotations.NullMarked;
