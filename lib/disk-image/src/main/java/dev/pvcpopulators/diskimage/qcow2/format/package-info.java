/// qcow2's structures, versions 2 and 3 (specification: QEMU docs/interop/qcow2): header, L1 and L2
/// tables and their entries, compressed clusters. All bytes that this package reads are untrusted.
@NullMarked
package dev.pvcpopulators.diskimage.qcow2.format;

import org.jspecify.annotations.NullMarked;
