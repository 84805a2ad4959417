/// qcow2 images, versions 2 and 3 (specification: QEMU docs/interop/qcow2): decoded front to back
/// from a stream, read as a stack of files, written as a file of such a stack.
///
/// [dev.pvcpopulators.diskimage.qcow2.Qcow2Chain] reads stacks where they are asked for, and
/// [dev.pvcpopulators.diskimage.qcow2.Qcow2Writer] writes one more file over them.
/// [dev.pvcpopulators.diskimage.qcow2.Qcow2Reader] decodes a stream. Metadata is followed as it
/// passes; host bytes whose meaning is not known yet wait in a window of memory and, past that, in
/// the sink's staging; or they are dropped, and had again by another pass over the source
/// ([dev.pvcpopulators.diskimage.qcow2.Qcow2Passes]). No path that an image names is ever opened.
@NullMarked
package dev.pvcpopulators.diskimage.qcow2;

import org.jspecify.annotations.NullMarked;
