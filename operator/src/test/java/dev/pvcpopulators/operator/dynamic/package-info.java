@NullMarked
package dev.pvcpopulators.operator.dynamic;

import org.jspecify.annotations.NullMarked;
