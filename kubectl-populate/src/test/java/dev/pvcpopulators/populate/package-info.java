@NullMarked
package dev.pvcpopulators.populate;

import org.jspecify.annotations.NullMarked;
