package dev.pvcpopulators.iscsitarget.session;

import java.net.InetSocketAddress;
import java.time.Instant;

/// A description of a session for monitoring.
///
/// @param initiator the initiator's iSCSI name
/// @param target the target's iSCSI name; empty in a discovery session
/// @param remote the initiator's address on the connection
/// @param since the time at which the login succeeded
/// @param commands the number of received SCSI commands
public record SessionInfo(
    String initiator, String target, InetSocketAddress remote, Instant since, long commands) {}
