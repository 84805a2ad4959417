package dev.pvcpopulators.iscsitarget.reservation;

import dev.pvcpopulators.iscsitarget.scsi.InitiatorPort;

/// A persistent reservation of the whole logical unit.
///
/// @param holder who made it; of a reservation for all registrants every one of them is a holder
record Reservation(ReservationType type, InitiatorPort holder) {}
