/// The on-disk structures of ext4, as the kernel's documentation defines them
/// (Documentation/filesystems/ext4). Each structure is read and written independently of its
/// position on the device.
@NullMarked
package dev.pvcpopulators.ext4.structure;

import org.jspecify.annotations.NullMarked;
