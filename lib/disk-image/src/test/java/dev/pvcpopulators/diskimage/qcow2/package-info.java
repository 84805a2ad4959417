/// Tests of the qcow2 reader: against real QEMU tools, and against images built byte by byte.
@NullMarked
package dev.pvcpopulators.diskimage.qcow2;

import org.jspecify.annotations.NullMarked;
