package dev.pvcpopulators.iscsitarget.reservation;

import dev.pvcpopulators.iscsitarget.scsi.InitiatorPort;

/// A PERSISTENT RESERVE OUT command that is well-formed.
///
/// @param port who sent it
/// @param key RESERVATION KEY
/// @param serviceActionKey SERVICE ACTION RESERVATION KEY
/// @param type of what is reserved, released or preempted
record ReserveRequest(
    InitiatorPort port,
    long key,
    long serviceActionKey,
    ReservationType type,
    boolean allTargetPorts) {}
