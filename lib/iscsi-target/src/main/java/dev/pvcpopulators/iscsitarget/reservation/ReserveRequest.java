package dev.pvcpopulators.iscsitarget.reservation;

import dev.pvcpopulators.iscsitarget.scsi.InitiatorPort;

/// A well-formed PERSISTENT RESERVE OUT command.
///
/// @param port the sender
/// @param key RESERVATION KEY
/// @param serviceActionKey SERVICE ACTION RESERVATION KEY
/// @param type the TYPE field; meaningful only for the service actions that evaluate it
record ReserveRequest(
    InitiatorPort port,
    long key,
    long serviceActionKey,
    ReservationType type,
    boolean allTargetPorts) {}
