/// Reads the state of claims and their populations, and creates new claims.
@NullMarked
package dev.pvcpopulators.populate.claim;

import org.jspecify.annotations.NullMarked;
