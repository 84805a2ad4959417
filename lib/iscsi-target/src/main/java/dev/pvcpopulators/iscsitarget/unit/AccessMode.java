package dev.pvcpopulators.iscsitarget.unit;

/// Which initiators may use a logical unit, and how.
public enum AccessMode {
  /// One initiator, by its name, over any number of sessions. The first one that uses the medium
  /// has it until its last session ends by a logout; all others get RESERVATION CONFLICT for reads
  /// and writes.
  WRITE_EXCLUSIVE,
  /// Any number, reading and writing.
  WRITE_SHARED,
  /// Any number, reading: write protected.
  READ_SHARED
}
