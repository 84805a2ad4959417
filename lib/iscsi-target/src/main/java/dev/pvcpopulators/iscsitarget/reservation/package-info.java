/// Reservations: RESERVE and RELEASE (SPC-2), and persistent reservations (SPC-4, section 5.14).
/// The package decides which nexus or initiator port holds a reservation, and which commands
/// conflict with the reservation. The package does not depend on the package `unit`.
@NullMarked
package dev.pvcpopulators.iscsitarget.reservation;

import org.jspecify.annotations.NullMarked;
