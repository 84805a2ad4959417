/// Reads disk images from the first byte to the last, usually in one pass, and writes the disks
/// sparsely to files or block devices.
@NullMarked
package dev.pvcpopulators.diskimage;

import org.jspecify.annotations.NullMarked;
