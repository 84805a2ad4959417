/// Resolves a source and a choice to one image: follows indexes, chooses the platform, reads the
/// configuration.
@NullMarked
package dev.pvcpopulators.registry.pull;

import org.jspecify.annotations.NullMarked;
