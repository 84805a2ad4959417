package dev.pvcpopulators.iscsitarget.login;

import static dev.pvcpopulators.iscsitarget.login.ScriptedInitiator.OPERATIONAL_TO_FULL_FEATURE;
import static dev.pvcpopulators.iscsitarget.login.ScriptedInitiator.enters;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.iscsitarget.login.text.MalformedTextException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TextNegotiationTest {
  private static final String ONE = "iqn.2026-01.test:one";
  private static final String TWO = "iqn.2026-01.test:two";
  private static final String TOLD_ONE =
      "TargetName=iqn.2026-01.test:one TargetAddress=10.0.0.1:3260,1 TargetAddress=[fd00::1]:3260,1";
  private static final String TOLD_TWO =
      "TargetName=iqn.2026-01.test:two TargetAddress=10.0.0.1:3260,1";

  private final FakeTargets targets = new FakeTargets();

  private TextNegotiation session(String... login) {
    String[] said = Arrays.copyOf(login, login.length + 1);
    said[login.length] = "InitiatorName=" + ScriptedInitiator.NAME;
    LoginStep.Entered entered =
        enters(new ScriptedInitiator(targets).send(OPERATIONAL_TO_FULL_FEATURE, said));
    return new TextNegotiation(entered.parameters(), targets, InetAddress.getLoopbackAddress());
  }

  private TextNegotiation discovery(int segment) {
    return session("SessionType=Discovery", "MaxRecvDataSegmentLength=" + segment);
  }

  private static String answer(TextNegotiation session, String... pairs)
      throws MalformedTextException {
    ByteBuffer text = session.answer(ByteBuffer.wrap(ScriptedInitiator.text(pairs)));
    return StandardCharsets.UTF_8.decode(text).toString().replace('\0', ' ').strip();
  }

  private void listTwo() {
    targets.listings.add(
        new TargetDirectory.Listing(ONE, List.of("10.0.0.1:3260", "[fd00::1]:3260")));
    targets.listings.add(new TargetDirectory.Listing(TWO, List.of("10.0.0.1:3260")));
  }

  @ParameterizedTest
  @CsvSource({
    "All, '" + TOLD_ONE + " " + TOLD_TWO + "'",
    ONE + ", '" + TOLD_ONE + "'",
    "IQN.2026-01.TEST:TWO, '" + TOLD_TWO + "'",
    "iqn.2026-01.test:three, ''",
    "all, ''",
    "'', SendTargets=Reject"
  })
  void answersSendTargetsInDiscovery(String scope, String expected) throws MalformedTextException {
    listTwo();
    assertEquals(expected, answer(discovery(8192), "SendTargets=" + scope));
  }

  @Test
  void answersSendTargetsInANormalSession() throws MalformedTextException {
    listTwo();
    targets.listings.add(new TargetDirectory.Listing(FakeTargets.OPEN, List.of("h:1")));
    TextNegotiation session = session("TargetName=" + FakeTargets.OPEN);
    assertEquals(
        "TargetName=" + FakeTargets.OPEN + " TargetAddress=h:1,1", answer(session, "SendTargets="));
    assertEquals(TOLD_TWO, answer(session, "SendTargets=" + TWO));
    assertEquals("SendTargets=Reject", answer(session, "SendTargets=All"));
  }

  @Test
  void rejectsAndDoesNotUnderstandTheRest() throws MalformedTextException {
    assertEquals(
        "MaxRecvDataSegmentLength=Reject X-com.example.a=NotUnderstood AuthMethod=Reject",
        answer(
            discovery(8192),
            "MaxRecvDataSegmentLength=4096",
            "X-com.example.a=b",
            "AuthMethod=None",
            "X-com.example.c=NotUnderstood"));
  }

  @Test
  void answersWithALongListAndDropsNothing() throws MalformedTextException {
    StringBuilder expected = new StringBuilder();
    for (int i = 0; i < 300; i++) {
      targets.listings.add(
          new TargetDirectory.Listing("iqn.2026-01.test:n" + i, List.of("10.0.0.1:3260")));
      expected.append("TargetName=iqn.2026-01.test:n" + i + " TargetAddress=10.0.0.1:3260,1 ");
    }
    TextNegotiation session = discovery(512);
    ByteBuffer text = session.answer(ByteBuffer.wrap(ScriptedInitiator.text("SendTargets=All")));
    assertEquals(expected.length(), text.remaining());
    assertEquals(expected.toString().strip(), answer(session, "SendTargets=All"));
  }

  @Test
  void boundsTheListAtWholeTargets() throws MalformedTextException {
    for (int i = 0; i < 10_000; i++) {
      targets.listings.add(
          new TargetDirectory.Listing("iqn.2026-01.test:n" + i, List.of("10.0.0.1:3260")));
    }
    String told = answer(discovery(8192), "SendTargets=All");
    assertTrue(told.length() <= 262_144 && told.length() > 262_000, "length " + told.length());
    assertTrue(told.endsWith(",1"), "a whole target at the end");
  }

  @Test
  void returnsEmptyTextForEmptyText() throws MalformedTextException {
    assertEquals(0, discovery(8192).answer(ByteBuffer.allocate(0)).remaining());
  }

  @Test
  void refusesInvalidOrLongText() {
    TextNegotiation session = discovery(8192);
    assertThrows(
        MalformedTextException.class, () -> session.answer(ByteBuffer.wrap(new byte[] {'A'})));
    assertThrows(
        MalformedTextException.class,
        () -> session.answer(ByteBuffer.allocate(TextNegotiation.MAX_LENGTH + 1)));
  }
}
