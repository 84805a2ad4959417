package dev.pvcpopulators.iscsitarget.reservation;

/// What an initiator port has registered.
///
/// @param key its reservation key, not 0
/// @param allTargetPorts whether it asked to be registered for every target port (ALL_TG_PT)
record Registration(long key, boolean allTargetPorts) {}
