/// A store of layers on the volume. The name of a layer's file identifies all inputs that determine
/// the bytes of the file. A layer is made once and published atomically. A clean-up removes the
/// layers that are no longer needed.
@NullMarked
package dev.pvcpopulators.imagetoqcow2layers.store;

import org.jspecify.annotations.NullMarked;
