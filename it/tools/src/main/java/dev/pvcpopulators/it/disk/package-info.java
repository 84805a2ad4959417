/// Helpers for disk images, file systems, block devices and volumes.
@NullMarked
package dev.pvcpopulators.it.disk;

import org.jspecify.annotations.NullMarked;
