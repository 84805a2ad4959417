/// Machines' directories: made, found, and removed.
@NullMarked
package dev.pvcpopulators.imagetoqcow2layers.machine;

import org.jspecify.annotations.NullMarked;
