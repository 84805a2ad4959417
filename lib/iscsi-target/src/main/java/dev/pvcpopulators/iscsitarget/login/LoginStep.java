package dev.pvcpopulators.iscsitarget.login;

import dev.pvcpopulators.iscsitarget.pdu.login.LoginResponse;
import dev.pvcpopulators.iscsitarget.pdu.login.LoginStatus;
import java.nio.ByteBuffer;

/// The target's action after a Login Request. The target sends [#response] with [#text]. If the
/// session of an [Entered] step cannot be created, the target instead sends the response of
/// [Entered#refused].
public sealed interface LoginStep {
  LoginResponse response();

  /// Returns the data segment without its padding.
  ByteBuffer text();

  /// The login continues with another request.
  record Continue(LoginResponse response, ByteBuffer text) implements LoginStep {}

  /// The login failed: the connection is closed after the response.
  ///
  /// @param reason the reason, for logs; it contains no secret, and no initiator input except valid
  ///   iSCSI names, valid key-names and numbers
  record Refused(LoginResponse response, String reason) implements LoginStep {
    @Override
    public ByteBuffer text() {
      return ByteBuffer.allocate(0);
    }
  }

  /// Full-feature phase begins after the response.
  record Entered(LoginResponse response, ByteBuffer text, SessionParameters parameters)
      implements LoginStep {
    /// Returns the refusal that the target sends instead of this step if the session cannot be
    /// created.
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
              response.numbers(),
              status),
          reason);
    }
  }
}
