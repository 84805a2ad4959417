package dev.pvcpopulators.iscsitarget.unit;

/// The access rule of a logical unit: which initiators may use it, and how.
public enum AccessMode {
  /// Only one initiator at a time, identified by its name, may read and write, over any number of
  /// sessions. The first initiator that uses the medium holds the unit until its last session with
  /// the unit has ended. If this session was lost without a logout, the initiator holds the unit
  /// for [UnitOptions#exclusiveGrace] longer. All other initiators get RESERVATION CONFLICT for
  /// commands that read, write or reserve the unit, and for other commands that a persistent
  /// reservation can affect, such as MODE SENSE.
  WRITE_EXCLUSIVE,
  /// Any number of initiators may read and write.
  WRITE_SHARED,
  /// Any number of initiators may read. The unit is write protected.
  READ_SHARED
}
