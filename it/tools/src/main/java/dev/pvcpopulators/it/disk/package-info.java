/// Disk images, file systems and devices, and the volumes that contain them.
@NullMarked
package dev.pvcpopulators.it.disk;

import org.jspecify.annotations.NullMarked;
