/// Overlays: an overlay stores the writes to a logical unit, and the image below stays unchanged.
@NullMarked
package dev.pvcpopulators.iscsitarget.overlay;

import org.jspecify.annotations.NullMarked;
