/// The formats that `qemu-img` converts for us (VMDK, VDI, VHD, VHDX), and our own check that such
/// a file refers to no other file before `qemu-img` sees it.
@NullMarked
package dev.pvcpopulators.diskimage.foreign;

import org.jspecify.annotations.NullMarked;
