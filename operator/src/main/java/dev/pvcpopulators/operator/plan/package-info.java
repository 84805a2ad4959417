/// From what was observed of one claim to the next step for it: pure functions.
@NullMarked
package dev.pvcpopulators.operator.plan;

import org.jspecify.annotations.NullMarked;
