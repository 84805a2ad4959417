package dev.pvcpopulators.iscsitarget.login;

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
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.iscsitarget.pdu.login.LoginStatus;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ChapTest {
  private static final String INITIATOR = "InitiatorName=" + ScriptedInitiator.NAME;
  private static final String TARGET = "TargetName=" + FakeTargets.CHAP;
  private static final String USER = "CHAP_N=" + FakeTargets.USER;

  private final FakeTargets targets = new FakeTargets();
  private ScriptedInitiator initiator = new ScriptedInitiator(targets);

  /// Starts a login, and returns a peer that knows the target's challenge.
  private ChapPeer challenged(String algorithms) {
    assertEquals(
        List.of("TargetPortalGroupTag=1", "AuthMethod=CHAP"),
        continues(
            initiator.send(SECURITY_TO_OPERATIONAL, INITIATOR, TARGET, "AuthMethod=CHAP,None")));
    LoginStep step = initiator.send(SECURITY, "CHAP_A=" + algorithms);
    assertFalse(step.response().transit());
    return ChapPeer.of(continues(step));
  }

  @ParameterizedTest
  @CsvSource({
    "5, MD5, 16",
    "6, SHA-1, 20",
    "7, SHA-256, 32",
    "8, SHA3-256, 32",
    "'8,7,6,5', SHA3-256, 32",
    "'5,6,7', SHA-256, 32",
    "'5,6', SHA-1, 20",
    "'55,5', MD5, 16",
    "'78,6x,5', MD5, 16"
  })
  void takesTheStrongestAlgorithmAndLetsTheRightResponseIn(
      String offer, String algorithm, int challengeLength) {
    ChapPeer peer = challenged(offer);
    assertEquals(algorithm, peer.algorithm());
    assertEquals(challengeLength, peer.challenge().length);
    LoginStep proved =
        initiator.send(
            SECURITY_TO_OPERATIONAL,
            USER,
            "CHAP_R=" + ChapPeer.hex(peer.response(FakeTargets.SECRET)));
    assertEquals(List.of(), continues(proved));
    assertTrue(proved.response().transit());
    LoginStep.Entered entered = enters(initiator.send(OPERATIONAL_TO_FULL_FEATURE));
    assertEquals(Optional.of(FakeTargets.USER), entered.parameters().user());
  }

  @Test
  void takesAResponseInBase64AndGoesStraightToFullFeaturePhase() {
    ChapPeer peer = challenged("7");
    String response = Base64.getEncoder().encodeToString(peer.response(FakeTargets.SECRET));
    assertTrue(response.endsWith("="), "the value itself has the separator of keys and values");
    enters(initiator.send(SECURITY_TO_FULL_FEATURE, USER, "CHAP_R=0b" + response));
  }

  @Test
  void takesThreeStepsWithNamesSaidAgainAsLibiscsiDoes() {
    ChapPeer peer = challenged("5");
    continues(
        initiator.send(
            SECURITY_TO_OPERATIONAL,
            USER,
            "CHAP_R=" + ChapPeer.hex(peer.response(FakeTargets.SECRET))));
    enters(
        initiator.send(
            OPERATIONAL_TO_FULL_FEATURE,
            INITIATOR,
            TARGET,
            "SessionType=Normal",
            "HeaderDigest=None,CRC32C"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "4", "9", "0x5", " 5", "5 ", "SHA1", "1,2,3,4", "55"})
  void refusesWhereNoAlgorithmIsInCommon(String offer) {
    continues(initiator.send(SECURITY, INITIATOR, TARGET, "AuthMethod=CHAP"));
    refuses(LoginStatus.AUTHENTICATION_FAILURE, initiator.send(SECURITY, "CHAP_A=" + offer));
  }

  @Test
  void refusesMd5IfConfigured() {
    NegotiationLimits limits =
        new NegotiationLimits(262_144, 1_048_576, 262_144, 1, 128, false, false);
    initiator = new ScriptedInitiator(targets, limits);
    continues(initiator.send(SECURITY, INITIATOR, TARGET, "AuthMethod=CHAP"));
    refuses(LoginStatus.AUTHENTICATION_FAILURE, initiator.send(SECURITY, "CHAP_A=5"));
    initiator = new ScriptedInitiator(targets, limits);
    assertEquals("SHA-1", challenged("5,6").algorithm());
  }

  @Test
  void makesAFreshChallengeEachTime() {
    Set<String> challenges = new HashSet<>();
    Set<Integer> identifiers = new HashSet<>();
    for (int i = 0; i < 64; i++) {
      initiator = new ScriptedInitiator(targets);
      ChapPeer peer = challenged("7");
      challenges.add(HexFormat.of().formatHex(peer.challenge()));
      identifiers.add(peer.identifier());
    }
    assertEquals(64, challenges.size());
    assertTrue(identifiers.size() > 8, "identifiers: " + identifiers);
  }

  @Test
  void refusesAResponseToAnotherChallenge() {
    byte[] recorded = challenged("7").response(FakeTargets.SECRET);
    initiator = new ScriptedInitiator(targets);
    challenged("7");
    refuses(
        LoginStatus.AUTHENTICATION_FAILURE,
        initiator.send(SECURITY, USER, "CHAP_R=" + ChapPeer.hex(recorded)));
  }

  @Test
  void refusesWrongSecretsAndUnknownUsers() {
    ChapPeer peer = challenged("7");
    refuses(
        LoginStatus.AUTHENTICATION_FAILURE,
        initiator.send(
            SECURITY, USER, "CHAP_R=" + ChapPeer.hex(peer.response(FakeTargets.SECRET + "."))));
    initiator = new ScriptedInitiator(targets);
    peer = challenged("7");
    refuses(
        LoginStatus.AUTHENTICATION_FAILURE,
        initiator.send(
            SECURITY,
            "CHAP_N=" + FakeTargets.USER + "2",
            "CHAP_R=" + ChapPeer.hex(peer.response(FakeTargets.SECRET))));
    initiator = new ScriptedInitiator(targets);
    peer = challenged("7");
    refuses(
        LoginStatus.AUTHENTICATION_FAILURE,
        initiator.send(SECURITY, "CHAP_N=nobody", "CHAP_R=" + ChapPeer.hex(peer.response(""))));
  }

  @Test
  void refusesResponsesOfAnotherLengthOrForm() {
    for (int i = 0; i < 6; i++) {
      initiator = new ScriptedInitiator(targets);
      byte[] right = challenged("5").response(FakeTargets.SECRET);
      String hex = ChapPeer.hex(right);
      List<String> wrong =
          List.of(
              ChapPeer.hex(Arrays.copyOf(right, 15)),
              ChapPeer.hex(Arrays.copyOf(right, 17)),
              hex.substring(2),
              hex + "0",
              "0x",
              "0b" + Base64.getEncoder().encodeToString(Arrays.copyOf(right, 4096)));
      refuses(
          LoginStatus.AUTHENTICATION_FAILURE,
          initiator.send(SECURITY, USER, "CHAP_R=" + wrong.get(i)));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"None", "KRB5,SRP,None", "", "chap", "CHAP2"})
  void refusesInitiatorsThatOfferNoChap(String methods) {
    refuses(
        LoginStatus.AUTHENTICATION_FAILURE,
        initiator.send(SECURITY_TO_OPERATIONAL, INITIATOR, TARGET, "AuthMethod=" + methods));
  }

  @ParameterizedTest
  @ValueSource(ints = {SECURITY_TO_OPERATIONAL, SECURITY_TO_FULL_FEATURE, 0x04, 0x87})
  void refusesInitiatorsThatPassAuthenticationBy(int flags) {
    refuses(LoginStatus.AUTHENTICATION_FAILURE, initiator.send(flags, INITIATOR, TARGET));
  }

  @Test
  void doesNotLetGoInTheMiddleOfTheExchange() {
    assertFalse(
        initiator
            .send(SECURITY_TO_FULL_FEATURE, INITIATOR, TARGET, "AuthMethod=CHAP")
            .response()
            .transit());
    assertFalse(initiator.send(SECURITY_TO_FULL_FEATURE).response().transit());
    assertFalse(initiator.send(SECURITY_TO_FULL_FEATURE, "CHAP_A=7").response().transit());
    assertFalse(initiator.send(SECURITY_TO_FULL_FEATURE).response().transit());
    assertEquals(0, initiator.sessionsNamed);
  }

  @Test
  void refusesStepsOutOfOrder() {
    refuses(
        LoginStatus.INITIATOR_ERROR,
        initiator.send(SECURITY, INITIATOR, TARGET, "AuthMethod=CHAP", "CHAP_A=5"));
    initiator = new ScriptedInitiator(targets);
    continues(initiator.send(SECURITY, INITIATOR, TARGET, "AuthMethod=CHAP"));
    refuses(LoginStatus.INITIATOR_ERROR, initiator.send(SECURITY, USER, "CHAP_R=0x00"));
    initiator = new ScriptedInitiator(targets);
    challenged("5");
    refuses(LoginStatus.INITIATOR_ERROR, initiator.send(SECURITY, USER));
    initiator = new ScriptedInitiator(targets);
    ChapPeer peer = challenged("5");
    continues(
        initiator.send(
            SECURITY, USER, "CHAP_R=" + ChapPeer.hex(peer.response(FakeTargets.SECRET))));
    refuses(LoginStatus.INITIATOR_ERROR, initiator.send(SECURITY, "CHAP_I=1", "CHAP_C=0x00"));
  }

  @Test
  void asksAccessControlUntilTheEnd() {
    targets.access(FakeTargets.CHAP).authenticates = false;
    continues(initiator.send(SECURITY_TO_OPERATIONAL, INITIATOR, TARGET, "AuthMethod=CHAP,None"));
    targets.access(FakeTargets.CHAP).authenticates = true;
    refuses(LoginStatus.AUTHENTICATION_FAILURE, initiator.send(OPERATIONAL_TO_FULL_FEATURE));
  }

  @Test
  void choosesNoneWhereNothingIsDemanded() {
    targets.access(FakeTargets.CHAP).authenticates = false;
    assertEquals(
        List.of("TargetPortalGroupTag=1", "AuthMethod=None"),
        continues(initiator.send(SECURITY, INITIATOR, TARGET, "AuthMethod=CHAP,None")));
    initiator = new ScriptedInitiator(targets);
    assertEquals(
        List.of("TargetPortalGroupTag=1", "AuthMethod=CHAP"),
        continues(initiator.send(SECURITY, INITIATOR, TARGET, "AuthMethod=CHAP")));
  }

  private LoginStep mutual(ChapPeer peer, String... more) {
    List<String> said =
        new ArrayList<>(List.of(USER, "CHAP_R=" + ChapPeer.hex(peer.response(FakeTargets.SECRET))));
    said.addAll(Arrays.asList(more));
    return initiator.send(SECURITY_TO_FULL_FEATURE, said.toArray(String[]::new));
  }

  @ParameterizedTest
  @CsvSource({"5, 1", "6, 20", "7, 32", "8, 1024"})
  void provesItselfToo(String algorithm, int challengeLength) {
    ChapPeer peer = challenged(algorithm);
    byte[] challenge = new byte[challengeLength];
    Arrays.fill(challenge, (byte) 0xa5);
    List<String> answers =
        pairs(enters(mutual(peer, "CHAP_I=255", "CHAP_C=" + ChapPeer.hex(challenge))));
    assertEquals("the target", ChapPeer.value(answers, "CHAP_N"));
    assertEquals(
        ChapPeer.hex(peer.digest(255, FakeTargets.TARGET_SECRET, challenge)).substring(2),
        ChapPeer.value(answers, "CHAP_R").substring(2).toUpperCase(Locale.ROOT));
  }

  @Test
  void refusesAReflectedChallenge() {
    ChapPeer peer = challenged("7");
    refuses(
        LoginStatus.AUTHENTICATION_FAILURE,
        mutual(peer, "CHAP_I=7", "CHAP_C=" + ChapPeer.hex(peer.challenge())));
  }

  @Test
  void answersNoChallengeOfAnInitiatorThatDidNotProveItself() {
    challenged("7");
    LoginStep step =
        initiator.send(
            SECURITY, USER, "CHAP_R=" + ChapPeer.hex(new byte[32]), "CHAP_I=7", "CHAP_C=0x0102");
    refuses(LoginStatus.AUTHENTICATION_FAILURE, step);
  }

  @Test
  void refusesOneSecretForBothDirections() {
    targets.access(FakeTargets.CHAP).identity =
        Optional.of(new ChapIdentity("the target", FakeTargets.secret(FakeTargets.SECRET)));
    refuses(
        LoginStatus.AUTHENTICATION_FAILURE, mutual(challenged("7"), "CHAP_I=7", "CHAP_C=0x0102"));
  }

  @Test
  void refusesMutualAuthenticationWithoutAnIdentity() {
    targets.access(FakeTargets.CHAP).identity = Optional.empty();
    refuses(
        LoginStatus.AUTHENTICATION_FAILURE, mutual(challenged("7"), "CHAP_I=7", "CHAP_C=0x0102"));
  }

  @ParameterizedTest
  @CsvSource({
    "CHAP_I=256, CHAP_C=0x01",
    "CHAP_I=-1, CHAP_C=0x01",
    "CHAP_I=, CHAP_C=0x01",
    "CHAP_I=1, CHAP_C=0x",
    "CHAP_I=1, CHAP_C=0x0",
    "CHAP_I=1, CHAP_C=01",
    "CHAP_I=1, CHAP_C=0b!",
    "CHAP_I=1, X-no-challenge=1",
    "X-no-identifier=1, CHAP_C=0x01"
  })
  void refusesChallengesThatAreNone(String identifier, String challenge) {
    refuses(LoginStatus.INITIATOR_ERROR, mutual(challenged("7"), identifier, challenge));
  }

  @Test
  void refusesAChallengeBeyond1024Bytes() {
    String challenge = ChapPeer.hex(new byte[1025]);
    refuses(
        LoginStatus.INITIATOR_ERROR, mutual(challenged("7"), "CHAP_I=7", "CHAP_C=" + challenge));
  }

  @Test
  void takesSecretsOf96BitsOrMoreAndNeverShowsThem() {
    assertThrows(IllegalArgumentException.class, () -> new ChapSecret(new byte[11]));
    assertEquals("a CHAP secret", new ChapSecret(new byte[12]).toString());
  }
}
