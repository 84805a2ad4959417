package dev.pvcpopulators.iscsitarget.reservation;

/// The registration of an initiator port.
///
/// @param key the reservation key of the port, not 0
/// @param allTargetPorts whether the port requested registration for every target port (ALL_TG_PT)
record Registration(long key, boolean allTargetPorts) {}
