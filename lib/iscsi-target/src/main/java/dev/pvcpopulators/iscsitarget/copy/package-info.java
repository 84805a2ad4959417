/// EXTENDED COPY within a logical unit (SPC-4, sections 5.18 and 6.3).
@NullMarked
package dev.pvcpopulators.iscsitarget.copy;

import org.jspecify.annotations.NullMarked;
