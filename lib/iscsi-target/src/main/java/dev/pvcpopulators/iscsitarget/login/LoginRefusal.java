package dev.pvcpopulators.iscsitarget.login;

import dev.pvcpopulators.iscsitarget.pdu.login.LoginStatus;

/// The exception that refuses a login. [LoginMachine#step] converts it to a response.
final class LoginRefusal extends Exception {
  private static final long serialVersionUID = 1L;

  private final LoginStatus status;

  /// Creates a refusal.
  ///
  /// @param reason the reason, for logs
  LoginRefusal(LoginStatus status, String reason) {
    super(reason, null, false, false);
    this.status = status;
  }

  /// Creates the refusal for an initiator error that has no specific status in the specification.
  static LoginRefusal initiatorError(String reason) {
    return new LoginRefusal(LoginStatus.INITIATOR_ERROR, reason);
  }

  static LoginRefusal authenticationFailure(String reason) {
    return new LoginRefusal(LoginStatus.AUTHENTICATION_FAILURE, reason);
  }

  LoginStatus status() {
    return status;
  }
}
