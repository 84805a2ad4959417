@NullMarked
package dev.pvcpopulators.operator.child;

import org.jspecify.annotations.NullMarked;
