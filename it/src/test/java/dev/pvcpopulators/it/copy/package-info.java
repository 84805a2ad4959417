/// Black-box tests of registry-copy. Real tools check the results.
@NullMarked
package dev.pvcpopulators.it.copy;

import org.jspecify.annotations.NullMarked;
