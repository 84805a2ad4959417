/// Writes an ext4 file system in user space, layer after layer.
///
/// A file system is stored on a [dev.pvcpopulators.ext4.block.BlockDevice]; the Java classes for
/// the structures of the file system are in the packages `block` and `structure`. The device
/// contains the whole state; an edit uses no other information about earlier edits. Therefore the
/// bytes that an edit writes do not depend on the time at which the lower layers were written, or
/// on the processes that wrote the lower layers.
@NullMarked
package dev.pvcpopulators.ext4;

import org.jspecify.annotations.NullMarked;
