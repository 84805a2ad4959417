/// The parts of a machine other than its disks: the kernel, the initial file system, the image's
/// process, and the files for QEMU, libvirt and KubeVirt.
@NullMarked
package dev.pvcpopulators.imagetoqcow2layers.boot;

import org.jspecify.annotations.NullMarked;
