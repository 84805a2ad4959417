/// The volume that receives one disk: a directory or a block device.
@NullMarked
package dev.pvcpopulators.diskimage.volume;

import org.jspecify.annotations.NullMarked;
