/// How an attempt of a subject ends, and what must hold then.
@NullMarked
package dev.pvcpopulators.it.torture.outcome;

import org.jspecify.annotations.NullMarked;
