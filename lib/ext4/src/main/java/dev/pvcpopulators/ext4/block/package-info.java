/// A file system's blocks: the device, its cache, and where bitmaps and descriptors are.
@NullMarked
package dev.pvcpopulators.ext4.block;

import org.jspecify.annotations.NullMarked;
