/// The commands of a direct-access block device (SBC-3) over a medium.
@NullMarked
package dev.pvcpopulators.iscsitarget.block;

import org.jspecify.annotations.NullMarked;
