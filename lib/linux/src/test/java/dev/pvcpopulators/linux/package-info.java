@NullMarked
package dev.pvcpopulators.linux;

import org.jspecify.annotations.NullMarked;
