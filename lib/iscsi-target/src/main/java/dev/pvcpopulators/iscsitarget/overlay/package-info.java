/// Overlays: an overlay stores the writes to a logical unit, and its base, such as an image, stays
/// unchanged.
@NullMarked
package dev.pvcpopulators.iscsitarget.overlay;

import org.jspecify.annotations.NullMarked;
