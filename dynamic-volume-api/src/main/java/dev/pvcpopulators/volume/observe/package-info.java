/// Health and metrics.
@NullMarked
package dev.pvcpopulators.volume.observe;

import org.jspecify.annotations.NullMarked;
