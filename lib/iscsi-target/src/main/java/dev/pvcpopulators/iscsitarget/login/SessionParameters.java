package dev.pvcpopulators.iscsitarget.login;

import dev.pvcpopulators.iscsitarget.pdu.Digest;
import java.util.Optional;

/// The outcome of a login: the identity of the initiator, and the agreed parameters (RFC 7143,
/// section 13). A session has one connection, ordered PDUs and sequences, and error recovery level
/// 0.
///
/// @param targetName the target's name in canonical form; empty in a discovery session
/// @param initiatorName the initiator's name in canonical form
/// @param isid 48 bits
/// @param tsih the handle of the session, 1 to 65,535
/// @param cid 0 to 65,535
/// @param user the CHAP name with which the initiator authenticated; empty without authentication
/// @param initiatorMaxRecvDataSegmentLength the maximum number of bytes of data in a PDU to the
///   initiator
/// @param targetMaxRecvDataSegmentLength the maximum number of bytes of data in a PDU to the target
/// @param maxBurstLength the maximum number of bytes of a Data-In sequence, and of a Data-Out
///   sequence that an R2T requests
/// @param firstBurstLength the maximum number of bytes of unsolicited data of one command,
///   including immediate data; at most `maxBurstLength`
/// @param initialR2T whether the initiator needs an R2T before it may send any data other than
///   immediate data
/// @param immediateData whether a command may contain immediate data
/// @param maxOutstandingR2T the maximum number of outstanding R2Ts of one task
/// @param defaultTime2Wait the agreed DefaultTime2Wait in seconds
/// @param defaultTime2Retain the agreed DefaultTime2Retain in seconds
/// @param expCmdSn the CmdSN of the command that is expected next
/// @param statSn the StatSN of the next response
public record SessionParameters(
    SessionType type,
    String targetName,
    String initiatorName,
    long isid,
    int tsih,
    int cid,
    Optional<String> user,
    Digest headerDigest,
    Digest dataDigest,
    int initiatorMaxRecvDataSegmentLength,
    int targetMaxRecvDataSegmentLength,
    int maxBurstLength,
    int firstBurstLength,
    boolean initialR2T,
    boolean immediateData,
    int maxOutstandingR2T,
    int defaultTime2Wait,
    int defaultTime2Retain,
    int expCmdSn,
    int statSn) {}
