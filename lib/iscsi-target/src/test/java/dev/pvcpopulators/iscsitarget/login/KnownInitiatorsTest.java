package dev.pvcpopulators.iscsitarget.login;

import static dev.pvcpopulators.iscsitarget.login.ScriptedInitiator.OPERATIONAL_TO_FULL_FEATURE;
import static dev.pvcpopulators.iscsitarget.login.ScriptedInitiator.SECURITY_TO_OPERATIONAL;
import static dev.pvcpopulators.iscsitarget.login.ScriptedInitiator.continues;
import static dev.pvcpopulators.iscsitarget.login.ScriptedInitiator.enters;
import static dev.pvcpopulators.iscsitarget.login.ScriptedInitiator.pairs;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pvcpopulators.iscsitarget.pdu.Digest;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// Tests the target's answers to the logins of known initiators.
class KnownInitiatorsTest {
  private final FakeTargets targets = new FakeTargets();
  private final ScriptedInitiator initiator = new ScriptedInitiator(targets);

  /// Uses a captured login of `iscsi-inq` of libiscsi 1.19. QEMU sends the same login with another
  /// initiator name. libiscsi counts the padding, two NULs at the end, as data.
  @Test
  void libiscsiWithoutAuthentication() {
    byte[] text =
        ScriptedInitiator.text(
            "InitiatorName=iqn.2007-10.com.github:sahlberg:libiscsi:iscsi-inq",
            "TargetName=iqn.2026-01.test:open",
            "SessionType=Normal",
            "HeaderDigest=None,CRC32C",
            "DataDigest=None",
            "InitialR2T=No",
            "ImmediateData=Yes",
            "MaxBurstLength=262144",
            "FirstBurstLength=262144",
            "DefaultTime2Wait=2",
            "DefaultTime2Retain=0",
            "MaxOutstandingR2T=1",
            "ErrorRecoveryLevel=0",
            "IFMarker=No",
            "OFMarker=No",
            "MaxConnections=1",
            "MaxRecvDataSegmentLength=262144",
            "DataPDUInOrder=Yes",
            "DataSequenceInOrder=Yes",
            "",
            "");
    LoginStep.Entered entered =
        enters(
            initiator.send(
                ByteBuffer.wrap(
                    HexFormat.of()
                        .parseHex(
                            "43870000000001ae80f59bda00000000"
                                + "62de7a830000000039d232b600000001"
                                + "00000000000000000000000000000000")),
                text));
    assertEquals(
        List.of(
            "TargetPortalGroupTag=1",
            "HeaderDigest=None",
            "DataDigest=None",
            "InitialR2T=No",
            "ImmediateData=Yes",
            "MaxBurstLength=262144",
            "FirstBurstLength=262144",
            "DefaultTime2Wait=2",
            "DefaultTime2Retain=0",
            "MaxOutstandingR2T=1",
            "ErrorRecoveryLevel=0",
            "IFMarker=No",
            "OFMarker=No",
            "MaxConnections=1",
            "DataPDUInOrder=Yes",
            "DataSequenceInOrder=Yes",
            "MaxRecvDataSegmentLength=262144"),
        pairs(entered));
    assertEquals(
        new SessionParameters(
            SessionType.NORMAL,
            FakeTargets.OPEN,
            ScriptedInitiator.NAME,
            0x80f59bda0000L,
            ScriptedInitiator.TSIH,
            0,
            Optional.empty(),
            Digest.NONE,
            Digest.NONE,
            262_144,
            262_144,
            262_144,
            262_144,
            false,
            true,
            1,
            2,
            0,
            0x39d232b6,
            1),
        entered.parameters());
  }

  /// Uses a captured login of `iscsi-ls` of libiscsi 1.19.
  @Test
  void libiscsiInDiscovery() {
    LoginStep.Entered entered =
        enters(
            initiator.send(
                OPERATIONAL_TO_FULL_FEATURE,
                "InitiatorName=iqn.2007-10.com.github:sahlberg:libiscsi:iscsi-ls",
                "SessionType=Discovery",
                "HeaderDigest=None",
                "DataDigest=None",
                "InitialR2T=No",
                "ImmediateData=Yes",
                "MaxBurstLength=262144",
                "FirstBurstLength=262144",
                "DefaultTime2Wait=2",
                "DefaultTime2Retain=0",
                "MaxOutstandingR2T=1",
                "ErrorRecoveryLevel=0",
                "IFMarker=No",
                "OFMarker=No",
                "MaxConnections=1",
                "MaxRecvDataSegmentLength=262144",
                "DataPDUInOrder=Yes",
                "DataSequenceInOrder=Yes",
                ""));
    assertEquals(
        List.of(
            "HeaderDigest=None",
            "DataDigest=None",
            "InitialR2T=Irrelevant",
            "ImmediateData=Irrelevant",
            "MaxBurstLength=Irrelevant",
            "FirstBurstLength=Irrelevant",
            "DefaultTime2Wait=2",
            "DefaultTime2Retain=0",
            "MaxOutstandingR2T=Irrelevant",
            "ErrorRecoveryLevel=0",
            "IFMarker=No",
            "OFMarker=No",
            "MaxConnections=Irrelevant",
            "DataPDUInOrder=Irrelevant",
            "DataSequenceInOrder=Irrelevant",
            "MaxRecvDataSegmentLength=8192"),
        pairs(entered));
  }

  /// With its default settings, open-iscsi 2.1.8 starts the login in the security stage.
  @Test
  void openIscsi() {
    assertEquals(
        List.of("TargetPortalGroupTag=1", "AuthMethod=None"),
        continues(
            initiator.send(
                SECURITY_TO_OPERATIONAL,
                "InitiatorName=iqn.1993-08.org.debian:01:e5a1c0ffee",
                "InitiatorAlias=node-1",
                "TargetName=iqn.2026-01.test:open",
                "SessionType=Normal",
                "AuthMethod=None")));
    LoginStep.Entered entered =
        enters(
            initiator.send(
                OPERATIONAL_TO_FULL_FEATURE,
                "HeaderDigest=None",
                "DataDigest=None",
                "DefaultTime2Wait=2",
                "DefaultTime2Retain=0",
                "IFMarker=No",
                "OFMarker=No",
                "ErrorRecoveryLevel=0",
                "InitialR2T=No",
                "ImmediateData=Yes",
                "MaxBurstLength=16776192",
                "FirstBurstLength=262144",
                "MaxOutstandingR2T=1",
                "MaxConnections=1",
                "DataPDUInOrder=Yes",
                "DataSequenceInOrder=Yes",
                "MaxRecvDataSegmentLength=262144"));
    assertEquals(1_048_576, entered.parameters().maxBurstLength());
    assertEquals(262_144, entered.parameters().firstBurstLength());
    assertEquals(262_144, entered.parameters().initiatorMaxRecvDataSegmentLength());
  }

  /// Microsoft's initiator requests more connections, more R2Ts and a higher error recovery level
  /// than the target supports.
  @Test
  void windows() {
    continues(
        initiator.send(
            SECURITY_TO_OPERATIONAL,
            "InitiatorName=iqn.1991-05.com.microsoft:desktop-1a2b3c",
            "SessionType=Normal",
            "TargetName=iqn.2026-01.test:open",
            "AuthMethod=None"));
    LoginStep.Entered entered =
        enters(
            initiator.send(
                OPERATIONAL_TO_FULL_FEATURE,
                "HeaderDigest=CRC32C,None",
                "DataDigest=CRC32C,None",
                "ErrorRecoveryLevel=2",
                "InitialR2T=No",
                "ImmediateData=Yes",
                "MaxRecvDataSegmentLength=65536",
                "MaxBurstLength=262144",
                "FirstBurstLength=65536",
                "MaxConnections=32",
                "DataPDUInOrder=Yes",
                "DataSequenceInOrder=Yes",
                "DefaultTime2Wait=0",
                "DefaultTime2Retain=60",
                "MaxOutstandingR2T=16"));
    assertEquals(
        List.of(
            "HeaderDigest=CRC32C",
            "DataDigest=CRC32C",
            "ErrorRecoveryLevel=0",
            "InitialR2T=No",
            "ImmediateData=Yes",
            "MaxBurstLength=262144",
            "FirstBurstLength=65536",
            "MaxConnections=1",
            "DataPDUInOrder=Yes",
            "DataSequenceInOrder=Yes",
            "DefaultTime2Wait=0",
            "DefaultTime2Retain=0",
            "MaxOutstandingR2T=1",
            "MaxRecvDataSegmentLength=262144"),
        pairs(entered));
    assertEquals(Digest.CRC32C, entered.parameters().headerDigest());
    assertEquals(Digest.CRC32C, entered.parameters().dataDigest());
    assertEquals(0, entered.parameters().defaultTime2Wait());
  }
}
