package dev.pvcpopulators.iscsitarget.login;

import dev.pvcpopulators.iscsitarget.pdu.login.LoginResponse;
import dev.pvcpopulators.iscsitarget.pdu.login.LoginStatus;
import java.nio.ByteBuffer;

/// What the target does after a Login Request. It sends [#response] with [#text] in any case.
public sealed interface LoginStep {
  LoginResponse response();

  /// Returns the data segment without its padding.
  ByteBuffer text();

  /// The login continues with another request.
  record Continue(LoginResponse response, ByteBuffer text) implements LoginStep {}

  /// The login failed: the connection is closed after the response.
  ///
  /// @param reason for logs; holds no secret, and input of the initiator only if it is a valid name
  record Refused(LoginResponse response, String reason) implements LoginStep {
    @Override
    public ByteBuffer text() {
      return ByteBuffer.allocate(0);
    }
  }

  /// Full-feature phase begins after the response.
  record Entered(LoginResponse response, ByteBuffer text, SessionParameters parameters)
      implements LoginStep {
    /// Returns the step to send instead if the session cannot be created after all.
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
