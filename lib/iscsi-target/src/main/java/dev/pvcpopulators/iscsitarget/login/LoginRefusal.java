package dev.pvcpopulators.iscsitarget.login;

import dev.pvcpopulators.iscsitarget.pdu.LoginStatus;

/// Why a login cannot go on. Stays within [LoginMachine].
final class LoginRefusal extends Exception {
  private static final long serialVersionUID = 1L;

  private final LoginStatus status;

  /// A refusal.
  ///
  /// @param reason for logs
  LoginRefusal(LoginStatus status, String reason) {
    super(reason, null, false, false);
    this.status = status;
  }

  /// What the initiator did wrong, where the specification has no status of its own for it.
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
