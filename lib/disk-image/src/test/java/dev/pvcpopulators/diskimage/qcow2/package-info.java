/// Tests of the qcow2 reader and writer with real QEMU tools, and of the reader with images that
/// are built byte by byte.
@NullMarked
package dev.pvcpopulators.diskimage.qcow2;

import org.jspecify.annotations.NullMarked;
