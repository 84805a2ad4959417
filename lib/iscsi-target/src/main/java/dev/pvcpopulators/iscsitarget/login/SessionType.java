package dev.pvcpopulators.iscsitarget.login;

/// What a session is for (RFC 7143, section 13.21).
public enum SessionType {
  /// Text, logout and pings only: an initiator asks for targets.
  DISCOVERY,
  NORMAL
}
