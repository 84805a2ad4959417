/// What is told of a population: reasons, reports, conditions.
@NullMarked
package dev.pvcpopulators.operator.status;

import org.jspecify.annotations.NullMarked;
