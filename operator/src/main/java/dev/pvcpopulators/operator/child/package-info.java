/// The objects that the operator creates for one claim or one dynamic volume.
@NullMarked
package dev.pvcpopulators.operator.child;

import org.jspecify.annotations.NullMarked;
