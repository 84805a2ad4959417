@NullMarked
package dev.pvcpopulators.diskimage.target;

import org.jspecify.annotations.NullMarked;
