/// Overlays: what was written to a logical unit, over an image that is not changed.
@NullMarked
package dev.pvcpopulators.iscsitarget.overlay;

import org.jspecify.annotations.NullMarked;
