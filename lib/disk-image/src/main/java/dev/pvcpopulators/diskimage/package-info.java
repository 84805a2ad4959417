/// Disk images, read in one forward pass and written sparsely to a file or a block device.
@NullMarked
package dev.pvcpopulators.diskimage;

import org.jspecify.annotations.NullMarked;
