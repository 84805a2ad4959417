/// From what was observed of one claim of a streaming class to the next step for it: pure
/// functions.
@NullMarked
package dev.pvcpopulators.operator.stream;

import org.jspecify.annotations.NullMarked;
