/// Claims that are filled: their state as the cluster shows it, and the objects of a new one.
@NullMarked
package dev.pvcpopulators.populate.claim;

import org.jspecify.annotations.NullMarked;
