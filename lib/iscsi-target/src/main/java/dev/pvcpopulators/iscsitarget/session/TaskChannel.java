package dev.pvcpopulators.iscsitarget.session;

import dev.pvcpopulators.iscsitarget.login.SessionParameters;
import dev.pvcpopulators.iscsitarget.scsi.Nexus;
import dev.pvcpopulators.iscsitarget.transfer.ChunkPool;
import dev.pvcpopulators.iscsitarget.wire.CommandWindow;

/// The objects that all tasks of a connection share.
///
/// @param parked memory for data of commands that wait; the other account is for data that R2Ts
///   request. With two accounts, commands that wait for others cannot take the memory that those
///   others need
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

  /// Returns the longest data segment that the initiator accepts, in bytes.
  int longestDataIn() {
    return parameters.initiatorMaxRecvDataSegmentLength();
  }
}
