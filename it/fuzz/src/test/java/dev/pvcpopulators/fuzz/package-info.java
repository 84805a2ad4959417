/// Runs the corpus as ordinary tests.
@NullMarked
package dev.pvcpopulators.fuzz;

import org.jspecify.annotations.NullMarked;
