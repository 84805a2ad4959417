/// Pure functions from the observed state of one dynamic volume to its next step, and the objects
/// that are created for it.
@NullMarked
package dev.pvcpopulators.operator.dynamic;

import org.jspecify.annotations.NullMarked;
