/// Logical units and the target device that holds them: the primary commands (SPC-4), reservations,
/// unit attentions, mode pages, vital product data.
@NullMarked
package dev.pvcpopulators.iscsitarget.unit;

import org.jspecify.annotations.NullMarked;
