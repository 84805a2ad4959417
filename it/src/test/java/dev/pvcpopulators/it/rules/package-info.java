/// The rules that hold sources, build scripts and documents together.
@NullMarked
package dev.pvcpopulators.it.rules;

import org.jspecify.annotations.NullMarked;
