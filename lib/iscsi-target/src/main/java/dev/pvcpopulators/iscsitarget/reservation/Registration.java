package dev.pvcpopulators.iscsitarget.reservation;

/// The registration of an initiator port.
///
/// @param key its reservation key, not 0
/// @param allTargetPorts whether it requested registration for every target port (ALL_TG_PT)
record Registration(long key, boolean allTargetPorts) {}
