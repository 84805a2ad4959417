/// Tests of memory, of written bytes, and of many clients at the same time.
@NullMarked
package dev.pvcpopulators.it.load;

import org.jspecify.annotations.NullMarked;
