@NullMarked
package dev.pvcpopulators.images;

import org.jspecify.annotations.NullMarked;
