/// From the bytes of a source to the guest bytes of a disk: what is found by magic numbers is
/// undone and decoded, each stage on its own thread, joined by bounded buffers.
@NullMarked
package dev.pvcpopulators.diskimage.pipeline;

import org.jspecify.annotations.NullMarked;
