/// The objects that the operator creates for one claim.
@NullMarked
package dev.pvcpopulators.operator.child;

import org.jspecify.annotations.NullMarked;
