/// The in-memory indexes of one edit: the directory entries by name, the directory blocks by free
/// space, and the entries that the current layer contains.
@NullMarked
package dev.pvcpopulators.ext4.index;

import org.jspecify.annotations.NullMarked;
