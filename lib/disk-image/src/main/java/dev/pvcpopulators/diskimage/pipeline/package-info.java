/// The pipeline from the bytes of a source to the guest bytes of a disk. Each decompressor runs on
/// its own thread, and a bounded buffer joins it to the next stage. The decoder and the disk's
/// writer run on the caller's thread.
@NullMarked
package dev.pvcpopulators.diskimage.pipeline;

import org.jspecify.annotations.NullMarked;
