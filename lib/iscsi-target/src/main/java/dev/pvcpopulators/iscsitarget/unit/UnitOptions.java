package dev.pvcpopulators.iscsitarget.unit;

import java.time.Duration;

/// The identity of a logical unit and its access rules.
///
/// @param identity a text that identifies the unit. The text is the same on every path and after a
///   restart. The NAA identifier, the serial number and the T10 vendor identifier of VPD pages 80h
///   and 83h are derived from this text
/// @param product product identification in INQUIRY, at most 16 ASCII characters
/// @param access which initiators may use the unit, and how
/// @param removable whether the unit reports its medium as removable
/// @param exclusiveGrace how long an initiator keeps WRITE_EXCLUSIVE access after the loss of its
///   last session that used the unit. Without this time, another initiator could acquire the unit
///   during a short network failure
/// @param sharesMedium whether the medium belongs to another owner, who closes it
public record UnitOptions(
    String identity,
    String product,
    AccessMode access,
    boolean removable,
    Duration exclusiveGrace,
    boolean sharesMedium) {}
