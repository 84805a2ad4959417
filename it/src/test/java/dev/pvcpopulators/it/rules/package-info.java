/// Rules that keep sources, build scripts and documents consistent.
@NullMarked
package dev.pvcpopulators.it.rules;

import org.jspecify.annotations.NullMarked;
