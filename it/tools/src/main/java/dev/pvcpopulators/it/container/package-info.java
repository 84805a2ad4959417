/// Containers of the services' images, run by runc.
@NullMarked
package dev.pvcpopulators.it.container;

import org.jspecify.annotations.NullMarked;
