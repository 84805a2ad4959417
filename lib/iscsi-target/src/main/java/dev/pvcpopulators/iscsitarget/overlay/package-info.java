/// Overlays: writes to a logical unit, stored separately over an unchanged image.
@NullMarked
package dev.pvcpopulators.iscsitarget.overlay;

import org.jspecify.annotations.NullMarked;
