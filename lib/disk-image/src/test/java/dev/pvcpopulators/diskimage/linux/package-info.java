@NullMarked
package dev.pvcpopulators.diskimage.linux;

import org.jspecify.annotations.NullMarked;
