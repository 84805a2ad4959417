/// Overlays, which store the writes to a logical unit separately from its unchanged image.
@NullMarked
package dev.pvcpopulators.iscsitarget.overlay;

import org.jspecify.annotations.NullMarked;
