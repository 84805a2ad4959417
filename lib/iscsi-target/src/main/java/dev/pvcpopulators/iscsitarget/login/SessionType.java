package dev.pvcpopulators.iscsitarget.login;

/// The purpose of a session (RFC 7143, section 13.21).
public enum SessionType {
  /// A session in which the initiator requests the list of targets. In such a session, the target
  /// accepts only Text Requests, Logout Requests and NOP-Outs.
  DISCOVERY,
  NORMAL
}
