/// What turns a disk into a machine: kernel, initial file system, the image's process, and how
/// QEMU, libvirt and KubeVirt are told.
@NullMarked
package dev.pvcpopulators.imagetoqcow2layers.boot;

import org.jspecify.annotations.NullMarked;
