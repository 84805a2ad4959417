/// Fuzz targets for the code that reads untrusted bytes.
@NullMarked
package dev.pvcpopulators.fuzz;

import org.jspecify.annotations.NullMarked;
