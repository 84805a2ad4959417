/// The state that users see of a population: reasons, reports, conditions.
@NullMarked
package dev.pvcpopulators.operator.status;

import org.jspecify.annotations.NullMarked;
