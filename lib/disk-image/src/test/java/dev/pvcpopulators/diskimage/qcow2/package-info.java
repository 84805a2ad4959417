/// Tests of the qcow2 reader and writer. QEMU's tools create some images, and the tests create
/// other images byte by byte.
@NullMarked
package dev.pvcpopulators.diskimage.qcow2;

import org.jspecify.annotations.NullMarked;
