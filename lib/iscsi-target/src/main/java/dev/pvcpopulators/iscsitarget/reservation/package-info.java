/// Reservations: RESERVE and RELEASE (SPC-2), persistent reservations (SPC-4, section 5.14). Who
/// holds what, and which commands of others conflict; it knows no logical unit.
@NullMarked
package dev.pvcpopulators.iscsitarget.reservation;

import org.jspecify.annotations.NullMarked;
