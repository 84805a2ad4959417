/// Outcomes of a subject's attempt, and the states that they allow.
@NullMarked
package dev.pvcpopulators.it.torture.outcome;

import org.jspecify.annotations.NullMarked;
