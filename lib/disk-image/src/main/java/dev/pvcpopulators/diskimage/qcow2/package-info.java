/// qcow2 images, versions 2 and 3 (specification: QEMU docs/interop/qcow2): sequential decoding of
/// a stream, random access to a stack of files, and writing of such a file.
///
/// [dev.pvcpopulators.diskimage.qcow2.Qcow2Chain] reads stacks on demand, and
/// [dev.pvcpopulators.diskimage.qcow2.Qcow2Writer] writes one more file over them.
/// [dev.pvcpopulators.diskimage.qcow2.Qcow2Reader] decodes a stream. It processes metadata when it
/// arrives; host bytes with unknown purpose stay in a window of memory and then in the sink's
/// staging, or they are dropped and read in another pass over the source
/// ([dev.pvcpopulators.diskimage.qcow2.Qcow2Passes]). No path that an image names is ever opened.
@NullMarked
package dev.pvcpopulators.diskimage.qcow2;

import org.jspecify.annotations.NullMarked;
