/// Logical units and the target device that holds them: the command table with the primary commands
/// (SPC-4), the checks before a command, task sets, unit attentions.
@NullMarked
package dev.pvcpopulators.iscsitarget.unit;

import org.jspecify.annotations.NullMarked;
