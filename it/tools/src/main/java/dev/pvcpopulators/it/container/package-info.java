/// Packaged services run as containers of their images.
@NullMarked
package dev.pvcpopulators.it.container;

import org.jspecify.annotations.NullMarked;
