/// Layers on the volume: named by everything that they are made of, made once, published as a
/// whole, removed when they are no longer needed.
@NullMarked
package dev.pvcpopulators.imagetoqcow2layers.store;

import org.jspecify.annotations.NullMarked;
