@NullMarked
package dev.pvcpopulators.diskimage.volume;

import org.jspecify.annotations.NullMarked;
