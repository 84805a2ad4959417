/// Runs the fuzz targets with the inputs of the corpus, as ordinary tests.
@NullMarked
package dev.pvcpopulators.fuzz;

import org.jspecify.annotations.NullMarked;
