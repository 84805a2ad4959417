/// Pure functions from the observed state of one dynamic volume to its next step. This package also
/// builds the objects that the operator creates for a dynamic volume.
@NullMarked
package dev.pvcpopulators.operator.dynamic;

import org.jspecify.annotations.NullMarked;
