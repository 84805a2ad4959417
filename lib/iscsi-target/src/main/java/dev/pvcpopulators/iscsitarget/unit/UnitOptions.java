package dev.pvcpopulators.iscsitarget.unit;

import java.time.Duration;

/// What a logical unit is known by and who may use it.
///
/// @param identity what makes it the same logical unit over any path and after a restart: at most
///   200 characters; the NAA identifier, the serial number and the T10 vendor identifier of VPD
///   pages 80h and 83h come of it
/// @param product product identification in INQUIRY, at most 16 ASCII characters
/// @param access who may use it
/// @param removable whether it is shown as a removable medium
/// @param exclusiveGrace how long WRITE_EXCLUSIVE stays with an initiator whose last session was
///   lost, so that a cut in the network does not give its disk to another
public record UnitOptions(
    String identity,
    String product,
    AccessMode access,
    boolean removable,
    Duration exclusiveGrace) {}
