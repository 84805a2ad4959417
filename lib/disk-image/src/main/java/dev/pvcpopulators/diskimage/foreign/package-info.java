/// The formats that `qemu-img` converts (VMDK, VDI, VHD, VHDX). Before `qemu-img` reads such a
/// file, this package checks that the file refers to no other file.
@NullMarked
package dev.pvcpopulators.diskimage.foreign;

import org.jspecify.annotations.NullMarked;
