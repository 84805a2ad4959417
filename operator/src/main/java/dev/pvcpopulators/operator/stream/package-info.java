/// Pure functions from the observed state of one claim of a streaming class to its next step.
@NullMarked
package dev.pvcpopulators.operator.stream;

import org.jspecify.annotations.NullMarked;
