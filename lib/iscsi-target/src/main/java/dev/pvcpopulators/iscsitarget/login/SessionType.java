package dev.pvcpopulators.iscsitarget.login;

/// The purpose of a session (RFC 7143, section 13.21).
public enum SessionType {
  /// Text, logout and pings only: an initiator asks for the list of targets.
  DISCOVERY,
  NORMAL
}
