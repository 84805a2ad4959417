/// The structures on the disk, to the letter of the kernel's documentation
/// (Documentation/filesystems/ext4): read and written, knowing nothing of each other's places.
@NullMarked
package dev.pvcpopulators.ext4.structure;

import org.jspecify.annotations.NullMarked;
