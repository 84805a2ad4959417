package dev.pvcpopulators.iscsitarget.login;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.pvcpopulators.iscsitarget.login.text.TextKeys;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Tests each key with values inside and outside its limits, in normal and in discovery sessions
/// (RFC 7143, section 13).
class OperationalNegotiationTest {
  private final OperationalNegotiation negotiation =
      new OperationalNegotiation(NegotiationLimits.defaults());

  private Optional<String> answer(String key, String offer, SessionType type) throws LoginRefusal {
    TextKeys answers = new TextKeys();
    negotiation.take(Objects.requireNonNull(OperationalKey.of(key)), offer, type, answers);
    return answers.value(key);
  }

  @ParameterizedTest
  @CsvSource(
      textBlock =
          """
          # key,                offer,              answer,        in discovery
          HeaderDigest,         None,               None,          None
          HeaderDigest,         CRC32C,             CRC32C,        CRC32C
          HeaderDigest,         'CRC32C,None',      CRC32C,        CRC32C
          HeaderDigest,         'None,CRC32C',      None,          None
          HeaderDigest,         'X-fast,CRC32C',    CRC32C,        CRC32C
          HeaderDigest,         crc32c,             Reject,        Reject
          HeaderDigest,         '',                 Reject,        Reject
          DataDigest,           'CRC32C,None',      CRC32C,        CRC32C
          DataDigest,           'CRC32',            Reject,        Reject
          MaxConnections,       1,                  1,             Irrelevant
          MaxConnections,       65535,              1,             Irrelevant
          MaxConnections,       0,                  Reject,        Irrelevant
          MaxConnections,       65536,              Reject,        Irrelevant
          InitialR2T,           Yes,                Yes,           Irrelevant
          InitialR2T,           No,                 No,            Irrelevant
          InitialR2T,           no,                 Reject,        Irrelevant
          ImmediateData,        Yes,                Yes,           Irrelevant
          ImmediateData,        No,                 No,            Irrelevant
          ImmediateData,        1,                  Reject,        Irrelevant
          MaxBurstLength,       512,                512,           Irrelevant
          MaxBurstLength,       0x200,              512,           Irrelevant
          MaxBurstLength,       1048576,            1048576,       Irrelevant
          MaxBurstLength,       1048577,            1048576,       Irrelevant
          MaxBurstLength,       16777215,           1048576,       Irrelevant
          MaxBurstLength,       16777216,           Reject,        Irrelevant
          MaxBurstLength,       511,                Reject,        Irrelevant
          MaxBurstLength,       -512,               Reject,        Irrelevant
          MaxBurstLength,       99999999999999999999, Reject,      Irrelevant
          FirstBurstLength,     512,                512,           Irrelevant
          FirstBurstLength,     262144,             262144,        Irrelevant
          FirstBurstLength,     262145,             262144,        Irrelevant
          FirstBurstLength,     511,                Reject,        Irrelevant
          DefaultTime2Wait,     0,                  0,             0
          DefaultTime2Wait,     3600,               3600,          3600
          DefaultTime2Wait,     3601,               Reject,        Reject
          DefaultTime2Retain,   0,                  0,             0
          DefaultTime2Retain,   3600,               0,             0
          DefaultTime2Retain,   3601,               Reject,        Reject
          MaxOutstandingR2T,    1,                  1,             Irrelevant
          MaxOutstandingR2T,    65535,              1,             Irrelevant
          MaxOutstandingR2T,    0,                  Reject,        Irrelevant
          DataPDUInOrder,       Yes,                Yes,           Irrelevant
          DataPDUInOrder,       No,                 Yes,           Irrelevant
          DataSequenceInOrder,  Yes,                Yes,           Irrelevant
          DataSequenceInOrder,  No,                 Yes,           Irrelevant
          DataSequenceInOrder,  Maybe,              Reject,        Irrelevant
          ErrorRecoveryLevel,   0,                  0,             0
          ErrorRecoveryLevel,   2,                  0,             0
          ErrorRecoveryLevel,   3,                  Reject,        Reject
          TaskReporting,        'FastAbort,ResponseFence,RFC3720', ResponseFence, Irrelevant
          TaskReporting,        RFC3720,            RFC3720,       Irrelevant
          TaskReporting,        FastAbort,          Reject,        Irrelevant
          iSCSIProtocolLevel,   0,                  0,             Irrelevant
          iSCSIProtocolLevel,   2,                  1,             Irrelevant
          iSCSIProtocolLevel,   31,                 1,             Irrelevant
          iSCSIProtocolLevel,   32,                 Reject,        Irrelevant
          IFMarker,             No,                 No,            No
          IFMarker,             Yes,                No,            No
          OFMarker,             Yes,                No,            No
          IFMarkInt,            2048~8192,          Reject,        Reject
          OFMarkInt,            2048,               Reject,        Reject
          """)
  void answersEachKeyByItsRule(String key, String offer, String answer, String inDiscovery)
      throws LoginRefusal {
    assertEquals(Optional.of(answer), answer(key, offer, SessionType.NORMAL));
    assertEquals(Optional.of(inDiscovery), answer(key, offer, SessionType.DISCOVERY));
  }

  @ParameterizedTest
  @ValueSource(strings = {"512", "8192", "16777215", "0xffffff"})
  void takesADeclaredSegmentLengthWithoutAnAnswer(String declared) throws LoginRefusal {
    assertEquals(
        Optional.empty(), answer("MaxRecvDataSegmentLength", declared, SessionType.NORMAL));
    assertEquals(
        Integer.decode(declared), negotiation.number(OperationalKey.MAX_RECV_DATA_SEGMENT_LENGTH));
  }

  @ParameterizedTest
  @ValueSource(strings = {"511", "16777216", "0", "-1", "", "many", "Reject"})
  void refusesADeclarationThatNoInitiatorCanMean(String declared) {
    assertThrows(
        LoginRefusal.class, () -> answer("MaxRecvDataSegmentLength", declared, SessionType.NORMAL));
  }

  @Test
  void keepsDefaultsOfRejectedKeys() throws LoginRefusal {
    assertEquals(Optional.of("Reject"), answer("MaxBurstLength", "1", SessionType.NORMAL));
    assertEquals(262_144, negotiation.number(OperationalKey.MAX_BURST_LENGTH));
  }

  @Test
  void grantsSeveralR2TsWhereTheLimitsDo() throws LoginRefusal {
    NegotiationLimits limits = new NegotiationLimits(8192, 8192, 4096, 4, 1, false, true);
    OperationalNegotiation generous = new OperationalNegotiation(limits);
    TextKeys answers = new TextKeys();
    generous.take(OperationalKey.MAX_OUTSTANDING_R2T, "16", SessionType.NORMAL, answers);
    assertEquals(Optional.of("4"), answers.value("MaxOutstandingR2T"));
    assertEquals(4, generous.number(OperationalKey.MAX_OUTSTANDING_R2T));
  }

  @Test
  void takesOnlyLimitsThatTheSpecificationAllows() {
    for (int[] wrong :
        new int[][] {
          {511, 8192, 8192, 1, 1},
          {0x1000000, 8192, 8192, 1, 1},
          {8192, 511, 511, 1, 1},
          {8192, 8192, 8193, 1, 1},
          {8192, 8192, 8192, 0, 1},
          {8192, 8192, 8192, 65_536, 1},
          {8192, 8192, 8192, 1, 0},
        }) {
      assertThrows(
          IllegalArgumentException.class,
          () ->
              new NegotiationLimits(wrong[0], wrong[1], wrong[2], wrong[3], wrong[4], false, true));
    }
  }
}
