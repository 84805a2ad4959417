/// Indexes in memory for one edit: of directory entries by name, of directory blocks by free space,
/// and of the entries that the current layer contains.
@NullMarked
package dev.pvcpopulators.ext4.index;

import org.jspecify.annotations.NullMarked;
