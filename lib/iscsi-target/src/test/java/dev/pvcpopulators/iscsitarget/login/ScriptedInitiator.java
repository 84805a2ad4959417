package dev.pvcpopulators.iscsitarget.login;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import dev.pvcpopulators.iscsitarget.pdu.login.LoginRequest;
import dev.pvcpopulators.iscsitarget.pdu.login.LoginStatus;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// An initiator that sends scripted bytes and parses the target's answers.
final class ScriptedInitiator {
  static final String NAME = "iqn.2007-10.com.github:sahlberg:libiscsi:iscsi-inq";
  static final int TASK_TAG = 0x62de7a83;
  static final int CMD_SN = 0x39d232b6;
  static final long ISID = 0x80f59bda0000L;
  static final int TSIH = 0x1234;

  /// The flags and stages in byte 1 of a Login Request.
  static final int TRANSIT = 0x80;

  static final int CONTINUE = 0x40;
  static final int SECURITY = 0x00;
  static final int SECURITY_TO_OPERATIONAL = 0x81;
  static final int SECURITY_TO_FULL_FEATURE = 0x83;
  static final int OPERATIONAL = 0x04;
  static final int OPERATIONAL_TO_FULL_FEATURE = 0x87;

  private final LoginMachine machine;
  int sessionsNamed;

  ScriptedInitiator(FakeTargets targets) {
    this(targets, NegotiationLimits.defaults());
  }

  ScriptedInitiator(FakeTargets targets, NegotiationLimits limits) {
    machine =
        new LoginMachine(
            targets,
            InetAddress.getLoopbackAddress(),
            limits,
            new SecureRandom(),
            () -> {
              sessionsNamed++;
              return TSIH;
            });
  }

  /// Returns the 48 bytes of a Login Request's header (RFC 7143, section 11.12).
  static ByteBuffer header(int flags, int length) {
    return ByteBuffer.allocate(48)
        .put((byte) 0x43)
        .put((byte) flags)
        .putShort((short) 0)
        .putInt(length)
        .putLong(ISID << 16)
        .putInt(TASK_TAG)
        .putInt(0)
        .putInt(CMD_SN)
        .putInt(1)
        .putLong(0)
        .putLong(0)
        .flip();
  }

  static byte[] text(String... pairs) {
    StringBuilder text = new StringBuilder();
    for (String pair : pairs) {
      text.append(pair).append('\0');
    }
    return text.toString().getBytes(StandardCharsets.UTF_8);
  }

  LoginStep send(int flags, String... pairs) {
    byte[] text = text(pairs);
    return send(header(flags, text.length), text);
  }

  LoginStep send(ByteBuffer header, byte[] text) {
    return machine.step(LoginRequest.read(header), ByteBuffer.wrap(text));
  }

  /// Returns the keys in the text of a step, each as `KEY=VALUE`.
  static List<String> pairs(LoginStep step) {
    String text = StandardCharsets.UTF_8.decode(step.text().duplicate()).toString();
    return text.isEmpty() ? List.of() : new ArrayList<>(Arrays.asList(text.split("\0")));
  }

  /// Asserts that the login continues.
  ///
  /// @return the keys of the step, each as `KEY=VALUE`
  static List<String> continues(LoginStep step) {
    LoginStep.Continue on = assertInstanceOf(LoginStep.Continue.class, step);
    assertEquals(LoginStatus.SUCCESS, on.response().status());
    assertEquals(0, on.response().tsih());
    return pairs(on);
  }

  static LoginStep.Entered enters(LoginStep step) {
    LoginStep.Entered entered = assertInstanceOf(LoginStep.Entered.class, step);
    assertEquals(LoginStatus.SUCCESS, entered.response().status());
    return entered;
  }

  static void refuses(LoginStatus status, LoginStep step) {
    LoginStep.Refused refused = assertInstanceOf(LoginStep.Refused.class, step);
    assertEquals(status, refused.response().status(), refused.reason());
    assertEquals(0, refused.text().remaining());
  }
}
