package dev.pvcpopulators.iscsitarget.reservation;

import dev.pvcpopulators.iscsitarget.scsi.InitiatorPort;

/// A persistent reservation of the whole logical unit.
///
/// @param holder the port that made the reservation; a reservation for all registrants is held by
///   each registrant
record Reservation(ReservationType type, InitiatorPort holder) {}
