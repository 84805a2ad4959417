/// Reads qcow2 images: a stream from its first byte to its last, and a stack of files with random
/// access.
///
/// [dev.pvcpopulators.diskimage.qcow2.read.Qcow2Reader] decodes a stream, and processes its tables
/// as they arrive. Host bytes that no table has mapped yet stay in a window of memory, and then in
/// the sink's staging. [dev.pvcpopulators.diskimage.qcow2.read.Qcow2Passes] uses no staging: it
/// drops these bytes when they leave the window, and reads them again in another pass over the
/// source. [dev.pvcpopulators.diskimage.qcow2.read.Qcow2Chain] reads stacks on demand. Files are
/// opened only by paths from the caller, never by a path that an image names.
@NullMarked
package dev.pvcpopulators.diskimage.qcow2.read;

import org.jspecify.annotations.NullMarked;
