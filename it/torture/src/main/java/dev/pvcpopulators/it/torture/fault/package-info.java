/// Faults: their requirements, their effects, and the failures that they explain.
@NullMarked
package dev.pvcpopulators.it.torture.fault;

import org.jspecify.annotations.NullMarked;
