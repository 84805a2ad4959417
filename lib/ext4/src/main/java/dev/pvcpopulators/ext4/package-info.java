/// An ext4 file system, written from scratch in user space, layer after layer.
///
/// A file system lives on a [dev.pvcpopulators.ext4.block.BlockDevice]; its structures are in the
/// package `structure`. The device holds the whole state: each edit starts by reading it. Therefore
/// a layer has the same bytes whether the layers below were made a second or a year ago.
@NullMarked
package dev.pvcpopulators.ext4;

import org.jspecify.annotations.NullMarked;
