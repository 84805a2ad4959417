/// Reading of qcow2 images: of a stream from front to back, and of a stack of files at any place.
///
/// [dev.pvcpopulators.diskimage.qcow2.read.Qcow2Reader] decodes a stream. It processes metadata
/// when it arrives; host bytes with unknown purpose stay in a window of memory and then in the
/// sink's staging, or they are dropped and read in another pass over the source
/// ([dev.pvcpopulators.diskimage.qcow2.read.Qcow2Passes]).
/// [dev.pvcpopulators.diskimage.qcow2.read.Qcow2Chain] reads stacks on demand. No path is ever
/// opened because an image names it.
@NullMarked
package dev.pvcpopulators.diskimage.qcow2.read;

import org.jspecify.annotations.NullMarked;
