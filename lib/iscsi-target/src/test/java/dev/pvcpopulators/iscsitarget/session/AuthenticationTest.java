package dev.pvcpopulators.iscsitarget.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.pvcpopulators.iscsitarget.directory.Target;
import dev.pvcpopulators.iscsitarget.login.AccessControl;
import dev.pvcpopulators.iscsitarget.login.ChapIdentity;
import dev.pvcpopulators.iscsitarget.login.ChapSecret;
import dev.pvcpopulators.iscsitarget.unit.ScsiTarget;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Tests the effect of a server's options on authentication.
class AuthenticationTest {
  private static final String SECRET = "correct horse battery";
  private static final int SUCCESS = 0x0000;
  private static final int AUTHENTICATION_FAILURE = 0x0201;

  /// The number of failed logins. After this number of failures, the target delays logins until the
  /// test ends.
  private static final int GUESSES = 200;

  private static final int MORE_THAN_WAIT = 20;

  /// Access control that requires CHAP of every initiator.
  private static final class Guarded implements AccessControl {
    @Override
    public boolean admits(String initiatorName, InetAddress address) {
      return true;
    }

    @Override
    public boolean authenticates() {
      return true;
    }

    @Override
    public Optional<ChapSecret> secret(String user) {
      return Optional.of(new ChapSecret(SECRET.getBytes(StandardCharsets.US_ASCII)));
    }

    @Override
    public Optional<ChapIdentity> identity() {
      return Optional.empty();
    }
  }

  @ParameterizedTest
  @CsvSource({"true, 5, 5", "false, 5, ", "false, '5,7', 7", "true, '5,7', 7"})
  void takesMd5WhereItMay(boolean takeMd5, String offered, String taken) throws IOException {
    try (IscsiServer server = IscsiServer.open(options(takeMd5))) {
      server.add(new Target(FileServer.TARGET, new Guarded(), new ScsiTarget()));
      try (RawInitiator initiator = RawInitiator.connect(server.portals().getFirst())) {
        RawPdu method =
            security(
                initiator,
                "InitiatorName=iqn.2026-01.test:a",
                "TargetName=" + FileServer.TARGET,
                "AuthMethod=CHAP");
        assertEquals(SUCCESS, method.intAt(36) >>> 16);
        RawPdu challenge = security(initiator, "CHAP_A=" + offered);
        assertEquals(taken == null ? AUTHENTICATION_FAILURE : SUCCESS, challenge.intAt(36) >>> 16);
        assertEquals(taken, challenge.text().get("CHAP_A"));
        assertEquals(new LoginStatistics(0, taken == null ? 1 : 0, 0), server.logins());
      }
    }
  }

  @Test
  void takesMd5WhereNothingElseIsSaid() {
    assertEquals(true, FileServer.loopback().takeMd5());
  }

  /// An authenticated initiator can claim the name and the ISID of another initiator, but not the
  /// CHAP user of the other initiator. A login must not end a session of another CHAP user.
  @Test
  void noUserEndsTheSessionOfAnother() throws Exception {
    try (IscsiServer server = IscsiServer.open(options(false))) {
      server.add(new Target(FileServer.TARGET, new Guarded(), new ScsiTarget()));
      try (RawInitiator one = RawInitiator.connect(server.portals().getFirst());
          RawInitiator other = RawInitiator.connect(server.portals().getFirst());
          RawInitiator again = RawInitiator.connect(server.portals().getFirst())) {
        logIn(one, "one");
        logIn(other, "other");
        assertEquals(2, server.sessions().size());
        logIn(again, "one");
        assertNull(one.receiveOrEnd());
        assertEquals(2, server.sessions().size());
      }
    }
  }

  /// The target does not delay logins that started before the first failure. The target delays
  /// later logins, and closes the connection of a login that would have to wait for more than five
  /// seconds.
  @Test
  void delaysLoginsAfterWrongSecrets() throws IOException {
    try (IscsiServer server = IscsiServer.open(options(true))) {
      server.add(new Target(FileServer.TARGET, new Guarded(), new ScsiTarget()));
      List<RawInitiator> guessing = new ArrayList<>();
      try {
        for (int i = 0; i < GUESSES; i++) {
          RawInitiator one = RawInitiator.connect(server.portals().getFirst());
          guessing.add(one);
          var _ =
              security(
                  one,
                  "InitiatorName=iqn.2026-01.test:a",
                  "TargetName=" + FileServer.TARGET,
                  "AuthMethod=CHAP");
          var _ = security(one, "CHAP_A=5");
        }
        for (RawInitiator one : guessing) {
          RawPdu answer = security(one, "CHAP_N=one", "CHAP_R=0x00000000000000000000000000000000");
          assertEquals(AUTHENTICATION_FAILURE, answer.intAt(36) >>> 16);
        }
        assertEquals(GUESSES, server.logins().unauthenticated());
        for (int i = 0; i < MORE_THAN_WAIT; i++) {
          guessing.add(RawInitiator.connect(server.portals().getFirst()));
        }
        assertNull(guessing.getLast().receiveOrEnd());
      } finally {
        for (RawInitiator one : guessing) {
          one.close();
        }
      }
    }
  }

  private static void logIn(RawInitiator initiator, String user)
      throws IOException, NoSuchAlgorithmException {
    security(
        initiator,
        "InitiatorName=iqn.2026-01.test:a",
        "TargetName=" + FileServer.TARGET,
        "AuthMethod=CHAP");
    Map<String, String> challenge = security(initiator, "CHAP_A=7").text();
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    digest.update((byte) Integer.parseInt(challenge.getOrDefault("CHAP_I", "")));
    digest.update(SECRET.getBytes(StandardCharsets.US_ASCII));
    String asked = challenge.getOrDefault("CHAP_C", "").substring("0x".length());
    String response = HexFormat.of().formatHex(digest.digest(HexFormat.of().parseHex(asked)));
    RawPdu last = request(initiator, 0x83, "CHAP_N=" + user, "CHAP_R=0x" + response);
    assertEquals(SUCCESS, last.intAt(36) >>> 16);
  }

  private static ServerOptions options(boolean takeMd5) {
    ServerOptions defaults = FileServer.loopback();
    return new ServerOptions(
        defaults.portals(),
        defaults.advertised(),
        defaults.maxSessions(),
        defaults.maxConnections(),
        Duration.ofHours(1), // a loaded machine needs seconds for 200 logins
        defaults.keepalive(),
        defaults.arrivalTimeout(),
        defaults.requireDigests(),
        takeMd5);
  }

  /// Sends a Login Request that stays in the security stage, and returns the response.
  private static RawPdu security(RawInitiator initiator, String... pairs) throws IOException {
    return request(initiator, 0, pairs);
  }

  /// Sends a Login Request and returns the response.
  ///
  /// @param stages byte 1: the T bit, the current stage and the next stage (RFC 7143, section
  ///   11.12)
  private static RawPdu request(RawInitiator initiator, int stages, String... pairs)
      throws IOException {
    initiator.send(
        RawPdu.of(RawPdu.IMMEDIATE | RawPdu.LOGIN, stages)
            .withHex(8, "80 12 34 56 78 01")
            .withTag(1)
            .with(24, 1)
            .withText(pairs));
    return initiator.receive();
  }
}
