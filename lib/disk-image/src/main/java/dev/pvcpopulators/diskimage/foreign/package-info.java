/// The formats that `qemu-img` converts (VMDK, VDI, VHD, VHDX). Before `qemu-img` reads an image,
/// this package checks that the image refers to no other file.
@NullMarked
package dev.pvcpopulators.diskimage.foreign;

import org.jspecify.annotations.NullMarked;
