/// A store of layers on the volume. A layer is named by all its inputs, made once, published
/// atomically, and removed when it is no longer needed.
@NullMarked
package dev.pvcpopulators.imagetoqcow2layers.store;

import org.jspecify.annotations.NullMarked;
