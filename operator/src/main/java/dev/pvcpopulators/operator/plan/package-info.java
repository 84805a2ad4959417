/// Pure functions from the observed state of one claim to its next step.
@NullMarked
package dev.pvcpopulators.operator.plan;

import org.jspecify.annotations.NullMarked;
