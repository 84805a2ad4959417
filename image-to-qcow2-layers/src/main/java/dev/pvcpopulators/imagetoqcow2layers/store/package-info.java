/// Layers on the volume: named by what they are made of, made once, published whole, removed when
/// nobody needs them.
@NullMarked
package dev.pvcpopulators.imagetoqcow2layers.store;

import org.jspecify.annotations.NullMarked;
