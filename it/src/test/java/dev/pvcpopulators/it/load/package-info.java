/// Memory, written bytes and many clients at the same time.
@NullMarked
package dev.pvcpopulators.it.load;

import org.jspecify.annotations.NullMarked;
