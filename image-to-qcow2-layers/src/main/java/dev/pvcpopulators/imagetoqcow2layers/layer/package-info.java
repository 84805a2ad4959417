/// From a layer's blob to the changes of a file system: pulled, verified, taken apart, applied.
@NullMarked
package dev.pvcpopulators.imagetoqcow2layers.layer;

import org.jspecify.annotations.NullMarked;
