package dev.pvcpopulators.iscsitarget.session;

import dev.pvcpopulators.iscsitarget.login.SessionParameters;
import dev.pvcpopulators.iscsitarget.scsi.Nexus;

/// What all tasks of a connection share.
///
/// @param parked memory for data of commands that wait, bursts for what R2Ts ask for; two accounts,
///   so that commands that wait for others never take what those others wait for
record TaskChannel(
    Nexus nexus,
    SessionParameters parameters,
    PduOutput output,
    CommandWindow window,
    ChunkPool.Account parked,
    ChunkPool.Account bursts) {
  int maxBurstLength() {
    return parameters.maxBurstLength();
  }

  /// Bytes of the longest data segment that the initiator takes.
  int longestDataIn() {
    return parameters.initiatorMaxRecvDataSegmentLength();
  }
}
