/// The structures of qcow2 images, versions 2 and 3 (QEMU docs/interop/qcow2): the header, the L1
/// and L2 tables with their entries, and compressed clusters. All bytes that this package reads are
/// untrusted.
@NullMarked
package dev.pvcpopulators.diskimage.qcow2.format;

import org.jspecify.annotations.NullMarked;
