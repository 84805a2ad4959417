/// Disk images, read from the first byte to the last, usually in one pass, and written sparsely to
/// a file or a block device.
@NullMarked
package dev.pvcpopulators.diskimage;

import org.jspecify.annotations.NullMarked;
