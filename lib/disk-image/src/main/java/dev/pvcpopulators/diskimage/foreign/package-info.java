/// The formats that `qemu-img` converts (VMDK, VDI, VHD, VHDX), and the check, before `qemu-img`
/// reads such a file, that it refers to no other file.
@NullMarked
package dev.pvcpopulators.diskimage.foreign;

import org.jspecify.annotations.NullMarked;
