/// Layers on their way: pulled, decompressed, verified, each on a thread of its own.
@NullMarked
package dev.pvcpopulators.registry.layer;

import org.jspecify.annotations.NullMarked;
