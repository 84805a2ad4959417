package dev.pvcpopulators.iscsitarget.login;

import dev.pvcpopulators.iscsitarget.pdu.Digest;
import java.util.Optional;

/// What a login ended with: who is there, and what was agreed upon (RFC 7143, section 13). One
/// connection a session, ordered PDUs and sequences, error recovery level 0.
///
/// @param targetName in canonical form; empty in a discovery session, where the initiator gave none
/// @param initiatorName in canonical form
/// @param isid 48 bits
/// @param tsih what the session is called, 1 to 65,535
/// @param cid 0 to 65,535
/// @param user the CHAP name that the initiator proved to have, empty where nothing was asked of it
/// @param initiatorMaxRecvDataSegmentLength most bytes of data in a PDU to the initiator
/// @param targetMaxRecvDataSegmentLength most bytes of data in a PDU to the target
/// @param maxBurstLength most bytes of a Data-In sequence, and of one that an R2T asks for
/// @param firstBurstLength most bytes of unsolicited data, immediate data included; at most
///   `maxBurstLength`
/// @param initialR2T whether data beyond immediate data waits for an R2T
/// @param immediateData whether a command may bring data with it
/// @param maxOutstandingR2T most R2Ts of one task at once
/// @param defaultTime2Wait seconds
/// @param defaultTime2Retain seconds
/// @param expCmdSn the command that is expected next
/// @param statSn the number of the next response
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
