/// Faults: what they need, how they strike, and what they explain.
@NullMarked
package dev.pvcpopulators.it.torture.fault;

import org.jspecify.annotations.NullMarked;
