package dev.pvcpopulators.iscsitarget.login;

import dev.pvcpopulators.iscsitarget.pdu.LoginResponse;
import dev.pvcpopulators.iscsitarget.pdu.LoginStatus;
import java.nio.ByteBuffer;

/// What the target does after a Login Request: it sends [#response] with [#text] in any case.
public sealed interface LoginStep {
  LoginResponse response();

  /// The data segment, without its padding.
  ByteBuffer text();

  /// The login goes on with another request.
  record Continue(LoginResponse response, ByteBuffer text) implements LoginStep {}

  /// The login failed: the connection closes when the response is sent.
  ///
  /// @param reason for logs; tells no secret, and what the initiator wrote only where it is a name
  record Refused(LoginResponse response, String reason) implements LoginStep {
    @Override
    public ByteBuffer text() {
      return ByteBuffer.allocate(0);
    }
  }

  /// Full-feature phase begins when the response is sent.
  record Entered(LoginResponse response, ByteBuffer text, SessionParameters parameters)
      implements LoginStep {
    /// What to send instead, where the session cannot be had after all.
    public Refused refused(LoginStatus status, String reason) {
      return new Refused(
          new LoginResponse(
              false,
              false,
              response.currentStage(),
              0,
              response.isid(),
              0,
              response.initiatorTaskTag(),
              response.statSn(),
              response.expCmdSn(),
              response.maxCmdSn(),
              status),
          reason);
    }
  }
}
