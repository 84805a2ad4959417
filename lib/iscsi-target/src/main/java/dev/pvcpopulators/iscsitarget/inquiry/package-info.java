/// INQUIRY and vital product data (SPC-4, sections 6.6 and 7.8): the self-description of a logical
/// unit.
@NullMarked
package dev.pvcpopulators.iscsitarget.inquiry;

import org.jspecify.annotations.NullMarked;
