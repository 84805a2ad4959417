/// The access of block commands to a medium: locks, bounded buffers, slow reads, options.
@NullMarked
package dev.pvcpopulators.iscsitarget.block.access;

import org.jspecify.annotations.NullMarked;
