/// The on-disk structures, exactly as the kernel's documentation defines them
/// (Documentation/filesystems/ext4). They are read and written without knowledge of each other's
/// places.
@NullMarked
package dev.pvcpopulators.ext4.structure;

import org.jspecify.annotations.NullMarked;
