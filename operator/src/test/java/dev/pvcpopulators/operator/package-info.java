@NullMarked
package dev.pvcpopulators.operator;

import org.jspecify.annotations.NullMarked;
