package dev.pvcpopulators.iscsitarget.login;

import static dev.pvcpopulators.iscsitarget.login.ScriptedInitiator.CONTINUE;
import static dev.pvcpopulators.iscsitarget.login.ScriptedInitiator.OPERATIONAL;
import static dev.pvcpopulators.iscsitarget.login.ScriptedInitiator.OPERATIONAL_TO_FULL_FEATURE;
import static dev.pvcpopulators.iscsitarget.login.ScriptedInitiator.SECURITY;
import static dev.pvcpopulators.iscsitarget.login.ScriptedInitiator.SECURITY_TO_FULL_FEATURE;
import static dev.pvcpopulators.iscsitarget.login.ScriptedInitiator.SECURITY_TO_OPERATIONAL;
import static dev.pvcpopulators.iscsitarget.login.ScriptedInitiator.continues;
import static dev.pvcpopulators.iscsitarget.login.ScriptedInitiator.enters;
import static dev.pvcpopulators.iscsitarget.login.ScriptedInitiator.pairs;
import static dev.pvcpopulators.iscsitarget.login.ScriptedInitiator.refuses;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.iscsitarget.pdu.login.LoginResponse;
import dev.pvcpopulators.iscsitarget.pdu.login.LoginStatus;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LoginMachineTest {
  private static final String INITIATOR = "InitiatorName=" + ScriptedInitiator.NAME;
  private static final String TARGET = "TargetName=" + FakeTargets.OPEN;

  private final FakeTargets targets = new FakeTargets();
  private final ScriptedInitiator initiator = new ScriptedInitiator(targets);

  @Test
  void sendsTheFieldsOfTheFirstAndLastResponse() {
    LoginResponse first =
        initiator.send(SECURITY_TO_OPERATIONAL, INITIATOR, TARGET, "AuthMethod=None").response();
    assertTrue(first.transit());
    assertEquals(0, first.currentStage());
    assertEquals(1, first.nextStage());
    assertEquals(ScriptedInitiator.ISID, first.isid());
    assertEquals(0, first.tsih());
    assertEquals(ScriptedInitiator.TASK_TAG, first.initiatorTaskTag());
    assertEquals(ScriptedInitiator.CMD_SN, first.numbers().expCmdSn());
    assertEquals(ScriptedInitiator.CMD_SN + 127, first.numbers().maxCmdSn());
    assertEquals(0, initiator.sessionsNamed);

    LoginStep.Entered last = enters(initiator.send(OPERATIONAL_TO_FULL_FEATURE));
    assertTrue(last.response().transit());
    assertEquals(1, last.response().currentStage());
    assertEquals(3, last.response().nextStage());
    assertEquals(ScriptedInitiator.TSIH, last.response().tsih());
    assertEquals(first.numbers().statSn() + 1, last.response().numbers().statSn());
    assertEquals(1, initiator.sessionsNamed);
    assertEquals(ScriptedInitiator.TSIH, last.parameters().tsih());
    assertEquals(last.response().numbers().statSn() + 1, last.parameters().statSn());
    assertEquals(ScriptedInitiator.CMD_SN, last.parameters().expCmdSn());
    assertEquals(List.of("MaxRecvDataSegmentLength=262144"), pairs(last));
  }

  @Test
  void letsTheSessionRefuseWhatTheLoginGranted() {
    LoginStep.Entered entered =
        enters(initiator.send(OPERATIONAL_TO_FULL_FEATURE, INITIATOR, TARGET));
    LoginStep.Refused refused =
        entered.refused(LoginStatus.OUT_OF_RESOURCES, "sessions: expected at most 64");
    refuses(LoginStatus.OUT_OF_RESOURCES, refused);
    assertFalse(refused.response().transit());
    assertEquals(0, refused.response().tsih());
    assertEquals(entered.response().numbers().statSn(), refused.response().numbers().statSn());
  }

  @Test
  void goesStraightFromSecurityToFullFeaturePhase() {
    LoginStep.Entered entered =
        enters(initiator.send(SECURITY_TO_FULL_FEATURE, INITIATOR, TARGET, "AuthMethod=None"));
    assertEquals(
        List.of("TargetPortalGroupTag=1", "AuthMethod=None", "MaxRecvDataSegmentLength=262144"),
        pairs(entered));
    assertEquals(8192, entered.parameters().initiatorMaxRecvDataSegmentLength());
    assertTrue(entered.parameters().initialR2T());
    assertEquals(65_536, entered.parameters().firstBurstLength());
    assertEquals(262_144, entered.parameters().maxBurstLength());
  }

  @Test
  void keepsTheFirstBurstWithinTheBurst() {
    LoginStep.Entered offered =
        enters(
            initiator.send(
                OPERATIONAL_TO_FULL_FEATURE,
                INITIATOR,
                TARGET,
                "MaxBurstLength=4096",
                "FirstBurstLength=8192"));
    assertTrue(pairs(offered).contains("FirstBurstLength=4096"), () -> pairs(offered).toString());
    assertEquals(4096, offered.parameters().firstBurstLength());

    LoginStep.Entered silent =
        enters(
            new ScriptedInitiator(targets)
                .send(OPERATIONAL_TO_FULL_FEATURE, INITIATOR, TARGET, "MaxBurstLength=4096"));
    assertEquals(4096, silent.parameters().firstBurstLength(), "the default is longer");
  }

  @Test
  void staysWhereTheInitiatorDoesNotWantToGoOn() {
    assertFalse(initiator.send(SECURITY, INITIATOR, TARGET).response().transit());
    assertFalse(initiator.send(SECURITY, "AuthMethod=None").response().transit());
    assertEquals(List.of(), continues(initiator.send(SECURITY_TO_OPERATIONAL)));
    assertEquals(
        List.of("InitialR2T=No", "MaxRecvDataSegmentLength=262144"),
        continues(initiator.send(OPERATIONAL, "InitialR2T=No")));
    assertEquals(
        List.of("ImmediateData=No"),
        pairs(enters(initiator.send(OPERATIONAL_TO_FULL_FEATURE, "ImmediateData=No"))),
        "what was declared is not declared again");
  }

  @Test
  void checksInitiatorsByNameAndAddress() {
    enters(
        initiator.send(
            OPERATIONAL_TO_FULL_FEATURE, "InitiatorName=IQN.2026-01.Test:Upper", TARGET));
    assertEquals(
        Set.of("iqn.2026-01.test:upper at 127.0.0.1"), targets.access(FakeTargets.OPEN).asked);
  }

  @Test
  void refusesEmptyNames() {
    refuses(LoginStatus.MISSING_PARAMETER, initiator.send(SECURITY, TARGET));
    refuses(
        LoginStatus.MISSING_PARAMETER,
        new ScriptedInitiator(targets).send(SECURITY, INITIATOR, "AuthMethod=None"));
    refuses(
        LoginStatus.INITIATOR_ERROR,
        new ScriptedInitiator(targets).send(SECURITY, "InitiatorName=me", TARGET));
    refuses(
        LoginStatus.SESSION_TYPE_NOT_SUPPORTED,
        new ScriptedInitiator(targets).send(SECURITY, INITIATOR, TARGET, "SessionType=discovery"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {FakeTargets.HIDDEN, "iqn.2026-01.test:none", "iqn.2026-01.test", "no;name", ""})
  void hidesTargetsOfOtherInitiators(String name) {
    refuses(LoginStatus.NOT_FOUND, initiator.send(SECURITY, INITIATOR, "TargetName=" + name));
  }

  @Test
  void discoveryHasToProveItselfWhereTargetsAskForIt() {
    targets.discovery.authenticates = true;
    targets.discovery.secrets.put(FakeTargets.USER, FakeTargets.secret(FakeTargets.SECRET));
    refuses(
        LoginStatus.AUTHENTICATION_FAILURE,
        initiator.send(OPERATIONAL_TO_FULL_FEATURE, INITIATOR, "SessionType=Discovery"));
    ScriptedInitiator honest = new ScriptedInitiator(targets);
    continues(honest.send(SECURITY, INITIATOR, "SessionType=Discovery", "AuthMethod=CHAP"));
    ChapPeer peer = ChapPeer.of(continues(honest.send(SECURITY, "CHAP_A=7")));
    String response = ChapPeer.hex(peer.response(FakeTargets.SECRET));
    LoginStep.Entered entered =
        enters(
            honest.send(
                SECURITY_TO_FULL_FEATURE, "CHAP_N=" + FakeTargets.USER, "CHAP_R=" + response));
    assertEquals(SessionType.DISCOVERY, entered.parameters().type());
  }

  @Test
  void needsNoTargetForDiscovery() {
    LoginStep.Entered entered =
        enters(initiator.send(OPERATIONAL_TO_FULL_FEATURE, INITIATOR, "SessionType=Discovery"));
    assertEquals(List.of("MaxRecvDataSegmentLength=8192"), pairs(entered));
    assertEquals(8192, entered.parameters().targetMaxRecvDataSegmentLength());
    assertEquals(SessionType.DISCOVERY, entered.parameters().type());
    assertEquals("", entered.parameters().targetName());
  }

  @ParameterizedTest
  @CsvSource({
    // Version-max, Version-min, result
    "0, 0, SUCCESS",
    "255, 0, SUCCESS",
    "1, 1, UNSUPPORTED_VERSION",
    "255, 255, UNSUPPORTED_VERSION"
  })
  void takesVersionZeroOnly(int most, int least, LoginStatus expected) {
    byte[] text = ScriptedInitiator.text(INITIATOR, TARGET);
    ByteBuffer header = ScriptedInitiator.header(OPERATIONAL_TO_FULL_FEATURE, text.length);
    header.put(2, (byte) most).put(3, (byte) least);
    assertEquals(expected, initiator.send(header, text).response().status());
  }

  @Test
  void refusesASecondConnection() {
    byte[] text = ScriptedInitiator.text(INITIATOR, TARGET);
    ByteBuffer header = ScriptedInitiator.header(OPERATIONAL_TO_FULL_FEATURE, text.length);
    header.putShort(14, (short) 1);
    refuses(LoginStatus.SESSION_DOES_NOT_EXIST, initiator.send(header, text));
  }

  @ParameterizedTest
  @ValueSource(
      ints = {
        0x08, // current stage 2, which is invalid
        0x0c, // full-feature phase
        0x80, // from security to security
        0x82, // to an invalid stage
        0x84, // from operational back to security
        0x85, // from operational to operational
        0x86, 0xc7, // T and C
      })
  void refusesStagesThatAreNone(int flags) {
    refuses(LoginStatus.INITIATOR_ERROR, initiator.send(flags, INITIATOR, TARGET));
  }

  @Test
  void refusesAStageThatItIsNotIn() {
    continues(initiator.send(SECURITY, INITIATOR, TARGET));
    refuses(LoginStatus.INITIATOR_ERROR, initiator.send(OPERATIONAL, "InitialR2T=No"));
  }

  @Test
  void refusesToGoBack() {
    continues(initiator.send(SECURITY_TO_OPERATIONAL, INITIATOR, TARGET));
    refuses(LoginStatus.INITIATOR_ERROR, initiator.send(SECURITY, "AuthMethod=None"));
  }

  @Test
  void refusesAnotherIsidOrCidInTheMiddle() {
    continues(initiator.send(SECURITY, INITIATOR, TARGET));
    ByteBuffer isid = ScriptedInitiator.header(SECURITY, 0).put(8, (byte) 0x7f);
    refuses(LoginStatus.INITIATOR_ERROR, initiator.send(isid, new byte[0]));

    ScriptedInitiator other = new ScriptedInitiator(targets);
    continues(other.send(SECURITY, INITIATOR, TARGET));
    ByteBuffer cid = ScriptedInitiator.header(SECURITY, 0).put(21, (byte) 1);
    refuses(LoginStatus.INITIATOR_ERROR, other.send(cid, new byte[0]));
  }

  @Test
  void refusesKeysInTheWrongStage() {
    refuses(
        LoginStatus.INITIATOR_ERROR, initiator.send(SECURITY, INITIATOR, TARGET, "InitialR2T=No"));
    refuses(
        LoginStatus.INITIATOR_ERROR,
        new ScriptedInitiator(targets).send(OPERATIONAL, INITIATOR, TARGET, "AuthMethod=None"));
    refuses(
        LoginStatus.INITIATOR_ERROR,
        new ScriptedInitiator(targets).send(SECURITY, INITIATOR, TARGET, "CHAP_A=5"));
  }

  @Test
  void refusesKeysThatComeTwice() {
    refuses(LoginStatus.INITIATOR_ERROR, initiator.send(SECURITY, INITIATOR, TARGET, TARGET));
    ScriptedInitiator later = new ScriptedInitiator(targets);
    continues(later.send(OPERATIONAL, INITIATOR, TARGET, "InitialR2T=No"));
    refuses(LoginStatus.INITIATOR_ERROR, later.send(OPERATIONAL, "InitialR2T=No"));
    ScriptedInitiator unknown = new ScriptedInitiator(targets);
    continues(unknown.send(OPERATIONAL, INITIATOR, TARGET, "X-com.example.a=1"));
    refuses(LoginStatus.INITIATOR_ERROR, unknown.send(OPERATIONAL, "X-com.example.a=1"));
  }

  @Test
  void takesNamesAgainWhileTheyAreTheSame() {
    continues(initiator.send(SECURITY_TO_OPERATIONAL, INITIATOR, TARGET));
    continues(initiator.send(OPERATIONAL, INITIATOR, TARGET, "MaxRecvDataSegmentLength=512"));
    LoginStep.Entered entered =
        enters(initiator.send(OPERATIONAL_TO_FULL_FEATURE, "MaxRecvDataSegmentLength=1024"));
    assertEquals(1024, entered.parameters().initiatorMaxRecvDataSegmentLength());

    ScriptedInitiator other = new ScriptedInitiator(targets);
    continues(other.send(SECURITY_TO_OPERATIONAL, INITIATOR, TARGET));
    refuses(LoginStatus.INITIATOR_ERROR, other.send(OPERATIONAL, "TargetName=" + FakeTargets.CHAP));
  }

  @Test
  void answersUnknownKeysAndThoseOfTargets() {
    String longest = "X" + "-long".repeat(12) + "er";
    assertEquals(63, longest.length());
    List<String> answers =
        continues(
            initiator.send(
                OPERATIONAL,
                INITIATOR,
                TARGET,
                longest + "=" + "v".repeat(8000),
                "X#NodeArchitecture=x",
                "RDMAExtensions=Yes",
                "TargetAlias=a",
                "TargetAddress=10.0.0.1",
                "TargetPortalGroupTag=2",
                "SendTargets=All",
                "X-com.example.reply=NotUnderstood",
                "InitiatorAlias=h\u00f6st"));
    assertEquals(
        List.of(
            "TargetPortalGroupTag=1",
            longest + "=NotUnderstood",
            "X#NodeArchitecture=NotUnderstood",
            "RDMAExtensions=NotUnderstood",
            "TargetAlias=Reject",
            "TargetAddress=Reject",
            "TargetPortalGroupTag=Reject",
            "SendTargets=Reject",
            "MaxRecvDataSegmentLength=262144"),
        answers);
  }

  @Test
  void refusesKeyNamesBeyond63BytesInsteadOfEchoingThem() {
    refuses(
        LoginStatus.INITIATOR_ERROR,
        initiator.send(OPERATIONAL, INITIATOR, TARGET, "X".repeat(64) + "=1"));
  }

  @Test
  void takes64KeysAndNoMore() {
    List<String> pairs = new ArrayList<>(List.of(INITIATOR, TARGET));
    for (int i = 0; i < 62; i++) {
      pairs.add("X-" + i + "=1");
    }
    continues(initiator.send(OPERATIONAL, pairs.toArray(String[]::new)));
    refuses(LoginStatus.INITIATOR_ERROR, initiator.send(OPERATIONAL, "X-62=1"));
    pairs.add("X-62=1");
    refuses(
        LoginStatus.INITIATOR_ERROR,
        new ScriptedInitiator(targets).send(OPERATIONAL, pairs.toArray(String[]::new)));
  }

  @Test
  void assemblesFragmentedText() {
    byte[] text = ScriptedInitiator.text(INITIATOR, TARGET, "InitialR2T=No");
    LoginStep.Entered entered = null;
    for (int at = 0; at < text.length; at += 3) {
      int end = Math.min(at + 3, text.length);
      boolean last = end == text.length;
      byte[] piece = Arrays.copyOfRange(text, at, end);
      int flags = last ? OPERATIONAL_TO_FULL_FEATURE : OPERATIONAL | CONTINUE;
      LoginStep step = initiator.send(ScriptedInitiator.header(flags, piece.length), piece);
      if (last) {
        entered = enters(step);
      } else {
        assertEquals(List.of(), continues(step), "an empty response asks for more");
        assertFalse(step.response().continues());
        assertFalse(step.response().transit());
      }
    }
    assertEquals(
        List.of("TargetPortalGroupTag=1", "InitialR2T=No", "MaxRecvDataSegmentLength=262144"),
        pairs(Objects.requireNonNull(entered)));
  }

  @Test
  void splitsTextThatTheInitiatorCannotReceiveAtOnce() {
    List<String> offers =
        new ArrayList<>(List.of(INITIATOR, TARGET, "MaxRecvDataSegmentLength=512"));
    List<String> expected = new ArrayList<>(List.of("TargetPortalGroupTag=1"));
    for (int i = 0; i < 40; i++) {
      offers.add("X-com.example.some-key-" + i + "=1");
      expected.add("X-com.example.some-key-" + i + "=NotUnderstood");
    }
    expected.add("MaxRecvDataSegmentLength=262144");
    StringBuilder said = new StringBuilder();
    LoginStep step = initiator.send(OPERATIONAL_TO_FULL_FEATURE, offers.toArray(String[]::new));
    int responses = 1;
    while (step.response().continues()) {
      assertFalse(step.response().transit());
      assertEquals(512, step.text().remaining());
      said.append(StandardCharsets.UTF_8.decode(step.text()));
      step = initiator.send(OPERATIONAL_TO_FULL_FEATURE);
      responses++;
    }
    enters(step);
    said.append(StandardCharsets.UTF_8.decode(step.text()));
    assertEquals(expected, List.of(said.toString().split("\0")));
    assertEquals((said.length() + 511) / 512, responses);
    assertTrue(responses > 3);
  }

  @Test
  void leavesAStageOnlyOnRequest() {
    List<String> offers =
        new ArrayList<>(List.of(INITIATOR, TARGET, "MaxRecvDataSegmentLength=512"));
    for (int i = 0; i < 40; i++) {
      offers.add("X-com.example.some-key-" + i + "=1");
    }
    LoginStep step = initiator.send(OPERATIONAL_TO_FULL_FEATURE, offers.toArray(String[]::new));
    while (step.response().continues()) {
      step = initiator.send(OPERATIONAL);
    }
    continues(step);
    assertFalse(step.response().transit());
    enters(initiator.send(OPERATIONAL_TO_FULL_FEATURE));
  }

  @Test
  void refusesTextWhileItHasMoreToSay() {
    List<String> offers =
        new ArrayList<>(List.of(INITIATOR, TARGET, "MaxRecvDataSegmentLength=512"));
    for (int i = 0; i < 40; i++) {
      offers.add("X-com.example.some-key-" + i + "=1");
    }
    assertTrue(initiator.send(OPERATIONAL, offers.toArray(String[]::new)).response().continues());
    refuses(LoginStatus.INITIATOR_ERROR, initiator.send(OPERATIONAL, "InitialR2T=No"));
  }

  @Test
  void bounds16KiBOfTextOverTheWholeLogin() {
    continues(initiator.send(OPERATIONAL, INITIATOR, TARGET));
    int left = 16_384 - ScriptedInitiator.text(INITIATOR, TARGET).length;
    byte[] zeros = new byte[8192];
    while (left > zeros.length) {
      continues(
          initiator.send(ScriptedInitiator.header(OPERATIONAL | CONTINUE, zeros.length), zeros));
      left -= zeros.length;
    }
    continues(initiator.send(ScriptedInitiator.header(OPERATIONAL, left), new byte[left]));
    refuses(
        LoginStatus.INITIATOR_ERROR,
        initiator.send(ScriptedInitiator.header(OPERATIONAL, 1), new byte[1]));
  }

  @Test
  void endsALoginWithoutProgress() {
    continues(initiator.send(SECURITY, INITIATOR, TARGET));
    for (int i = 1; i < 256; i++) {
      continues(initiator.send(SECURITY));
    }
    refuses(LoginStatus.INITIATOR_ERROR, initiator.send(SECURITY));
  }

  @ParameterizedTest
  @CsvSource({
    "'CRC32C,None', 'CRC32C', true",
    "'None,CRC32C', 'None,CRC32C', true",
    "CRC32C, None, false",
    "None, CRC32C, false",
    "'', '', false"
  })
  void demandsDigestsWhereTheyAreRequired(String header, String data, boolean expected) {
    NegotiationLimits usual = NegotiationLimits.defaults();
    NegotiationLimits limits =
        new NegotiationLimits(
            usual.maxRecvDataSegmentLength(),
            usual.maxBurstLength(),
            usual.firstBurstLength(),
            usual.maxOutstandingR2T(),
            usual.commandWindow(),
            true,
            usual.takeMd5());
    List<String> offers = new ArrayList<>(List.of(INITIATOR, TARGET));
    if (!header.isEmpty()) {
      offers.add("HeaderDigest=" + header);
      offers.add("DataDigest=" + data);
    }
    LoginStep step =
        new ScriptedInitiator(targets, limits)
            .send(OPERATIONAL_TO_FULL_FEATURE, offers.toArray(String[]::new));
    if (expected) {
      assertTrue(pairs(enters(step)).contains("HeaderDigest=CRC32C"));
    } else {
      refuses(LoginStatus.INITIATOR_ERROR, step);
    }
    offers.set(1, "SessionType=Discovery");
    enters(
        new ScriptedInitiator(targets, limits)
            .send(OPERATIONAL_TO_FULL_FEATURE, offers.toArray(String[]::new)));
  }
}
