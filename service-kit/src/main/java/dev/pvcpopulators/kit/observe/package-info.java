/// Health and metrics.
@NullMarked
package dev.pvcpopulators.kit.observe;

import org.jspecify.annotations.NullMarked;
