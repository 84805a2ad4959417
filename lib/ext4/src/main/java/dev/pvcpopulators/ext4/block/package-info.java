/// The blocks of a file system: the device, its cache, and the layout of bitmaps and descriptors.
@NullMarked
package dev.pvcpopulators.ext4.block;

import org.jspecify.annotations.NullMarked;
