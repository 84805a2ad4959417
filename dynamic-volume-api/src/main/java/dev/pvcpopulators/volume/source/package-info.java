/// Container images as a service's source: how registries are reached, which image is meant, and
/// what a client learns where that fails. For services that have `lib/registry`.
@NullMarked
package dev.pvcpopulators.volume.source;

import org.jspecify.annotations.NullMarked;
