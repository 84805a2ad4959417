/// Reservations: RESERVE and RELEASE (SPC-2), persistent reservations (SPC-4, section 5.14). The
/// package decides which nexus holds a reservation and which commands conflict with the
/// reservation. The package does not depend on logical units.
@NullMarked
package dev.pvcpopulators.iscsitarget.reservation;

import org.jspecify.annotations.NullMarked;
