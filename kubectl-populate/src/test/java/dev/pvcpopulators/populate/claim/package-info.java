@NullMarked
package dev.pvcpopulators.populate.claim;

import org.jspecify.annotations.NullMarked;
