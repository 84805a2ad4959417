/// INQUIRY with vital product data, REPORT LUNS and REQUEST SENSE (SPC-4, sections 6.6, 7.8, 6.33
/// and 6.39).
@NullMarked
package dev.pvcpopulators.iscsitarget.inquiry;

import org.jspecify.annotations.NullMarked;
