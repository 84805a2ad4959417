/// Container images, and the registries, layouts and volumes that contain them.
@NullMarked
package dev.pvcpopulators.it.image;

import org.jspecify.annotations.NullMarked;
