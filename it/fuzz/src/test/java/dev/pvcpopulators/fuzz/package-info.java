/// The corpus, run by plain tests.
@NullMarked
package dev.pvcpopulators.fuzz;

import org.jspecify.annotations.NullMarked;
