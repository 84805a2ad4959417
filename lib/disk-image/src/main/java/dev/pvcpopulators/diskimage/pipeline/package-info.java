/// The pipeline from the bytes of a source to the guest bytes of a disk. Formats recognised by
/// magic numbers are decompressed and decoded, each stage on its own thread, joined by bounded
/// buffers.
@NullMarked
package dev.pvcpopulators.diskimage.pipeline;

import org.jspecify.annotations.NullMarked;
