/// Layers in transfer: pulled, decompressed and verified on separate threads.
@NullMarked
package dev.pvcpopulators.registry.layer;

import org.jspecify.annotations.NullMarked;
