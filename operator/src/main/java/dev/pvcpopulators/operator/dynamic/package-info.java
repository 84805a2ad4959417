/// From what was observed of one dynamic volume to the next step for it, and the objects that are
/// created for it: pure functions.
@NullMarked
package dev.pvcpopulators.operator.dynamic;

import org.jspecify.annotations.NullMarked;
