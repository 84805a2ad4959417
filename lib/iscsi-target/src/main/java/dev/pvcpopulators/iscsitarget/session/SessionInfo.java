package dev.pvcpopulators.iscsitarget.session;

import java.net.InetSocketAddress;
import java.time.Instant;

/// A session, for those who watch.
///
/// @param initiator its iSCSI name
/// @param target iSCSI name; empty in a discovery session
/// @param remote where its connection comes from
/// @param since when it reached full-feature phase
/// @param commands SCSI commands received
public record SessionInfo(
    String initiator, String target, InetSocketAddress remote, Instant since, long commands) {}
