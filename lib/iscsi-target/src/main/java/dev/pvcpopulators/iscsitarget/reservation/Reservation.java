package dev.pvcpopulators.iscsitarget.reservation;

import dev.pvcpopulators.iscsitarget.scsi.InitiatorPort;

/// A persistent reservation of the whole logical unit.
///
/// @param holder the port that made it; if it is for all registrants, every one of them is a holder
record Reservation(ReservationType type, InitiatorPort holder) {}
