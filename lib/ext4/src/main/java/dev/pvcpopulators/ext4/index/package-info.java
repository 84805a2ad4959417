/// Indexes of directory entries in memory, made for one edit: by name, by free space, and by layer.
@NullMarked
package dev.pvcpopulators.ext4.index;

import org.jspecify.annotations.NullMarked;
