@NullMarked
package dev.pvcpopulators.operator.status;

import org.jspecify.annotations.NullMarked;
