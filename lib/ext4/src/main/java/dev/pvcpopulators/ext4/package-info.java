/// An ext4 file system, written from scratch in user space, layer after layer.
///
/// A file system lives on a [dev.pvcpopulators.ext4.BlockDevice]; what it is made of stands in
/// `structure`. What is on the device is all there is: whoever edits it begins by reading, so that
/// a layer comes out the same whether the layers below were made a second or a year ago.
@NullMarked
package dev.pvcpopulators.ext4;

import org.jspecify.annotations.NullMarked;
