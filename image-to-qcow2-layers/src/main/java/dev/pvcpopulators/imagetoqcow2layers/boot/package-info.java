/// Makes a machine from a disk: kernel, initial file system, the image's process, and the files for
/// QEMU, libvirt and KubeVirt.
@NullMarked
package dev.pvcpopulators.imagetoqcow2layers.boot;

import org.jspecify.annotations.NullMarked;
