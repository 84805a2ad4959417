package dev.pvcpopulators.iscsitarget.unit;

import java.time.Duration;

/// The identity, the access rules and other properties of a logical unit.
///
/// @param identity a text that identifies the unit. The text must be the same on every path to the
///   unit and after a restart. The NAA identifier, the serial number and the T10 vendor identifier
///   of VPD pages 80h and 83h are derived from this text
/// @param product product identification in INQUIRY, at most 16 ASCII characters
/// @param access which initiators may use the unit, and how
/// @param removable whether the unit reports its medium as removable
/// @param exclusiveGrace how long an initiator keeps WRITE_EXCLUSIVE access after the loss of its
///   last session that used the unit. Without this time, another initiator could acquire the unit
///   during a short network failure
/// @param sharesMedium whether another object owns the medium and closes it; if false, the logical
///   unit closes the medium
public record UnitOptions(
    String identity,
    String product,
    AccessMode access,
    boolean removable,
    Duration exclusiveGrace,
    boolean sharesMedium) {}
