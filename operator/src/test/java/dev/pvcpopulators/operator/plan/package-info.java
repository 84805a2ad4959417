@NullMarked
package dev.pvcpopulators.operator.plan;

import org.jspecify.annotations.NullMarked;
