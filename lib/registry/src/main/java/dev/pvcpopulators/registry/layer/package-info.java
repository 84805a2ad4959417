/// Layers in transfer. For each layer, one thread pulls the layer, a second thread decompresses it,
/// and a third thread hashes the tar.
@NullMarked
package dev.pvcpopulators.registry.layer;

import org.jspecify.annotations.NullMarked;
