/// The source of a service's disk: settings for connections, access to registries, and the choice
/// of the image and of the disk in it.
@NullMarked
package dev.pvcpopulators.kit.source;

import org.jspecify.annotations.NullMarked;
