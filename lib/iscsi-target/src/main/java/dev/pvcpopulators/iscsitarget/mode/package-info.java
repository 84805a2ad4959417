/// The mode parameters of a logical unit (SPC-4, sections 6.11 to 6.14 and 7.5; SBC-3, section
/// 6.5).
@NullMarked
package dev.pvcpopulators.iscsitarget.mode;

import org.jspecify.annotations.NullMarked;
