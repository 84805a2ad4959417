package dev.pvcpopulators.iscsitarget.login;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// Tests logins with changed, truncated, doubled or moved bytes. On a target that requires CHAP, no
/// login may succeed without authentication.
class LoginMutationTest {
  private static final int CASES = 2500;
  private static final int MOST_TEXT = 8192;

  private final FakeTargets targets = new FakeTargets();

  /// A Login Request in its wire format.
  private record Request(ByteBuffer header, ByteBuffer text) {}

  private static Request request(int flags, String... pairs) {
    byte[] text = ScriptedInitiator.text(pairs);
    return new Request(ScriptedInitiator.header(flags, text.length), ByteBuffer.wrap(text));
  }

  @Test
  void endsMutatedLoginsInAnOrderlyWay() {
    long seed = System.nanoTime();
    System.out.println("LoginMutationTest seed " + seed);
    Random random = new Random(seed);
    int[] ends = new int[3];
    for (int i = 0; i < CASES; i++) {
      boolean chap = random.nextBoolean();
      String because = "seed " + seed + ", case " + i;
      try {
        ends[run(random, chap, because)]++;
      } catch (RuntimeException e) {
        throw new AssertionError(because, e);
      }
    }
    assertTrue(ends[0] > 0 && ends[1] > 0 && ends[2] > 0, Arrays.toString(ends));
  }

  /// Runs one login.
  ///
  /// @return 0 if the login is still in progress at the end, 1 if it is refused, 2 if it succeeds
  private int run(Random random, boolean chap, String because) {
    ScriptedInitiator initiator = new ScriptedInitiator(targets);
    List<Request> sequence = new ArrayList<>(chap ? chapLogin() : openLogin());
    int mutated = random.nextInt(chap ? 3 : 2);
    boolean liar = chap && random.nextInt(4) == 0;
    boolean harmless = true;
    for (int i = 0; i < sequence.size(); i++) {
      Request request = sequence.get(i);
      if (i == mutated) {
        Request changed = mutate(random, request);
        harmless = changed.equals(request);
        request = changed;
      }
      LoginStep step = initiator.send(request.header(), request.text().array());
      check(step, because);
      switch (step) {
        case LoginStep.Refused _ -> {
          assertTrue(!harmless || liar, because);
          return 1;
        }
        case LoginStep.Entered entered -> {
          assertFalse(liar, because);
          assertEquals(chap, entered.parameters().user().isPresent(), because);
          check(entered.parameters(), because);
          return 2;
        }
        case LoginStep.Continue _ -> {
          if (chap && i == 1 && !proves(step, liar, sequence)) {
            return 0;
          }
        }
      }
    }
    return 0;
  }

  private static List<Request> openLogin() {
    return List.of(
        request(
            ScriptedInitiator.SECURITY_TO_OPERATIONAL,
            "InitiatorName=" + ScriptedInitiator.NAME,
            "TargetName=" + FakeTargets.OPEN,
            "SessionType=Normal",
            "AuthMethod=CHAP,None"),
        request(
            ScriptedInitiator.OPERATIONAL_TO_FULL_FEATURE,
            "HeaderDigest=None,CRC32C",
            "InitialR2T=No",
            "MaxBurstLength=16776192",
            "FirstBurstLength=262144",
            "MaxRecvDataSegmentLength=262144",
            "MaxOutstandingR2T=1"));
  }

  private static List<Request> chapLogin() {
    return List.of(
        request(
            ScriptedInitiator.SECURITY_TO_OPERATIONAL,
            "InitiatorName=" + ScriptedInitiator.NAME,
            "TargetName=" + FakeTargets.CHAP,
            "AuthMethod=CHAP,None"),
        request(ScriptedInitiator.SECURITY, "CHAP_A=8,7,6,5"));
  }

  /// Adds the request that follows the challenge in a CHAP login.
  ///
  /// @return false if the step contains no challenge
  private static boolean proves(LoginStep step, boolean liar, List<Request> sequence) {
    List<String> pairs = ScriptedInitiator.pairs(step);
    if (pairs.stream().noneMatch(pair -> pair.startsWith("CHAP_C="))) {
      return false;
    }
    String secret = liar ? "what a liar thinks of" : FakeTargets.SECRET;
    String response = ChapPeer.hex(ChapPeer.of(pairs).response(secret));
    sequence.add(
        request(
            ScriptedInitiator.SECURITY_TO_FULL_FEATURE,
            "CHAP_N=" + FakeTargets.USER,
            "CHAP_R=" + response,
            "CHAP_I=1",
            "CHAP_C=0x0102030405060708"));
    return true;
  }

  private static Request mutate(Random random, Request request) {
    byte[] header = request.header().array().clone();
    byte[] text = request.text().array().clone();
    switch (random.nextInt(8)) {
      case 0 -> header[random.nextInt(header.length)] = (byte) random.nextInt();
      case 1 -> header[1] = (byte) random.nextInt();
      case 2 -> text[random.nextInt(text.length)] = (byte) random.nextInt();
      case 3 -> text[random.nextInt(text.length)] ^= (byte) (1 << random.nextInt(8));
      case 4 -> text = Arrays.copyOf(text, random.nextInt(text.length));
      case 5 -> text = doubled(text, random.nextInt(text.length), random.nextInt(text.length));
      case 6 -> text = Arrays.copyOf(text, random.nextInt(70_000));
      default -> {
        byte[] noise = new byte[random.nextInt(64)];
        random.nextBytes(noise);
        System.arraycopy(noise, 0, text, 0, Math.min(noise.length, text.length));
      }
    }
    return new Request(ByteBuffer.wrap(header), ByteBuffer.wrap(text));
  }

  private static byte[] doubled(byte[] text, int one, int other) {
    int from = Math.min(one, other);
    int length = Math.max(one, other) - from;
    byte[] longer = Arrays.copyOf(text, text.length + length);
    System.arraycopy(text, from, longer, text.length, length);
    return longer;
  }

  private static void check(LoginStep step, String because) {
    assertTrue(step.text().remaining() <= MOST_TEXT, because);
    ByteBuffer bhs = ByteBuffer.allocate(48);
    step.response().write(bhs, step.text().remaining());
    assertEquals(48, bhs.position(), because);
  }

  private static void check(SessionParameters parameters, String because) {
    assertTrue(parameters.initiatorMaxRecvDataSegmentLength() >= 512, because);
    assertTrue(parameters.maxBurstLength() >= 512, because);
    assertTrue(parameters.maxBurstLength() <= 1_048_576, because);
    assertTrue(parameters.firstBurstLength() <= parameters.maxBurstLength(), because);
    assertEquals(1, parameters.maxOutstandingR2T(), because);
    assertTrue(parameters.tsih() != 0, because);
  }
}
