package dev.pvcpopulators.iscsitarget.login;

/// The purpose of a session (RFC 7143, section 13.21).
public enum SessionType {
  /// A session for text, logout and pings only: the initiator requests the list of targets.
  DISCOVERY,
  NORMAL
}
