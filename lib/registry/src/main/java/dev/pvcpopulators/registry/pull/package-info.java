/// From a source and a choice to one image: indexes followed, the platform chosen, the
/// configuration read.
@NullMarked
package dev.pvcpopulators.registry.pull;

import org.jspecify.annotations.NullMarked;
