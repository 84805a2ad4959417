package dev.pvcpopulators.iscsitarget.reservation;

import dev.pvcpopulators.iscsitarget.scsi.InitiatorPort;

/// A persistent reservation of the whole logical unit.
///
/// @param holder the port that made the reservation. If the reservation is for all registrants,
///   each registrant is a holder
record Reservation(ReservationType type, InitiatorPort holder) {}
