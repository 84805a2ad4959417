package dev.pvcpopulators.iscsitarget.session;

import static dev.pvcpopulators.iscsitarget.session.AnswerCheck.ensure;

import dev.pvcpopulators.fuzz.Finds;
import dev.pvcpopulators.iscsitarget.directory.Directory;
import dev.pvcpopulators.iscsitarget.directory.Target;
import dev.pvcpopulators.iscsitarget.directory.Targets;
import dev.pvcpopulators.iscsitarget.login.LoginMachine;
import dev.pvcpopulators.iscsitarget.login.LoginStep;
import dev.pvcpopulators.iscsitarget.login.NegotiationLimits;
import dev.pvcpopulators.iscsitarget.login.SessionParameters;
import dev.pvcpopulators.iscsitarget.login.SessionType;
import dev.pvcpopulators.iscsitarget.login.TextNegotiation;
import dev.pvcpopulators.iscsitarget.login.text.MalformedTextException;
import dev.pvcpopulators.iscsitarget.pdu.Digest;
import dev.pvcpopulators.iscsitarget.unit.ScsiTarget;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.List;

/// Fuzzes a login. The first byte of the input selects the requirements of the target. The other
/// bytes contain login requests, and then a text request for the resulting session.
///
/// | Bit of byte 0 | Meaning                |
/// |--------------:|------------------------|
/// |             0 | digests are required   |
/// |             1 | MD5 is accepted        |
public final class IscsiLoginFuzz {
  private static final InetSocketAddress ADDRESS =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 3260);

  private static final String OPEN = "iqn.2017-01.io.kubevirt:open";
  private static final String CHAP = "iqn.2017-01.io.kubevirt:chap";
  private static final String HIDDEN = "iqn.2017-01.io.kubevirt:hidden";
  private static final Directory DIRECTORY =
      new Directory(targets(), List.of("127.0.0.1:3260", "[::1]:3260"), List.of(), ADDRESS);

  private static final int TSIH = 7;

  static {
    Finds.listen();
  }

  private IscsiLoginFuzz() {}

  private static Targets targets() {
    Targets targets = new Targets();
    targets.add(new Target(OPEN, KnownAccess.OPEN, new ScsiTarget()));
    targets.add(new Target(CHAP, KnownAccess.CHAP, new ScsiTarget()));
    targets.add(new Target(HIDDEN, KnownAccess.HIDDEN, new ScsiTarget()));
    return targets;
  }

  /// Runs the login and, if the login succeeds, the text request.
  public static void fuzzerTestOneInput(byte[] data) {
    if (data.length == 0) {
      return;
    }
    boolean digests = (data[0] & 1) != 0;
    NegotiationLimits limits =
        new NegotiationLimits(
            SessionLimits.MAX_RECEIVED_SEGMENT,
            NegotiationLimits.defaults().maxBurstLength(),
            SessionLimits.MAX_RECEIVED_SEGMENT,
            1,
            SessionLimits.WINDOW,
            digests,
            (data[0] & 2) != 0);
    ByteBuffer input = ByteBuffer.wrap(data, 1, data.length - 1).slice();
    LoginPeer peer = new LoginPeer(input);
    LoginMachine machine =
        new LoginMachine(DIRECTORY, ADDRESS.getAddress(), limits, new Predictable(), () -> TSIH);
    LoginConversation login =
        new LoginConversation(new MemorySocket(peer, peer::answered), machine);
    try {
      LoginStep end = login.run();
      login.send(end);
      ensure(!peer.waits(), "The last request has no response");
      if (end instanceof LoginStep.Entered entered) {
        check(entered.parameters(), peer, digests);
        ask(entered.parameters(), input);
      }
    } catch (IOException _) { // The initiator disconnected, or sent an invalid login.
    }
    Finds.check();
  }

  private static void check(SessionParameters parameters, LoginPeer peer, boolean digests) {
    boolean normal = parameters.type() == SessionType.NORMAL;
    String target = parameters.targetName();
    ensure(normal ? target.equals(OPEN) || target.equals(CHAP) : target.isEmpty(), target);
    if (target.equals(CHAP)) {
      ensure(peer.proved(), "A login succeeded without the secret");
      ensure(parameters.user().filter(KnownAccess.USER::equals).isPresent(), "Wrong user");
    }
    if (digests && normal) {
      ensure(parameters.headerDigest() == Digest.CRC32C, "No header digest");
      ensure(parameters.dataDigest() == Digest.CRC32C, "No data digest");
    }
    within("MaxRecvDataSegmentLength", parameters.initiatorMaxRecvDataSegmentLength(), 0xFF_FFFF);
    within("MaxBurstLength", parameters.maxBurstLength(), 1 << 20);
    within("FirstBurstLength", parameters.firstBurstLength(), parameters.maxBurstLength());
    ensure(parameters.maxOutstandingR2T() == 1, "MaxOutstandingR2T");
    ensure(parameters.tsih() == TSIH, "TSIH");
    ensure(parameters.initiatorName().length() <= 223, "InitiatorName");
  }

  private static void within(String key, int value, int most) {
    ensure(value >= NegotiationLimits.MIN_LENGTH && value <= most, key + "=" + value);
  }

  private static void ask(SessionParameters parameters, ByteBuffer input) {
    TextNegotiation negotiation = new TextNegotiation(parameters, DIRECTORY, ADDRESS.getAddress());
    try {
      String answer = StandardCharsets.ISO_8859_1.decode(negotiation.answer(input)).toString();
      ensure(answer.isEmpty() || answer.charAt(answer.length() - 1) == 0, "No NUL at the end");
      ensure(answer.indexOf(HIDDEN + "\0") < 0, "A hidden target was listed");
      for (String pair : answer.split("\0", -1)) {
        ensure(pair.isEmpty() || pair.indexOf('=') > 0, "No pair of key and value: " + pair);
      }
    } catch (MalformedTextException _) { // The session rejects the text.
    }
  }

  /// A deterministic source of random numbers, so that the challenges are always the same.
  private static final class Predictable extends SecureRandom {
    private static final long serialVersionUID = 1L;

    private byte next;

    @Override
    public void nextBytes(byte[] bytes) {
      for (int i = 0; i < bytes.length; i++) {
        bytes[i] = next++;
      }
    }

    @Override
    public int nextInt(int bound) {
      return next++ & 0x7F;
    }
  }
}
