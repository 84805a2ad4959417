/// Overlays. An overlay stores the writes to a logical unit. The base of the overlay, such as an
/// image, stays unchanged.
@NullMarked
package dev.pvcpopulators.iscsitarget.overlay;

import org.jspecify.annotations.NullMarked;
