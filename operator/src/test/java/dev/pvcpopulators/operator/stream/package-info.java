@NullMarked
package dev.pvcpopulators.operator.stream;

import org.jspecify.annotations.NullMarked;
