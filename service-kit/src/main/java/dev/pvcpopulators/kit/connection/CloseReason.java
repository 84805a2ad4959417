package dev.pvcpopulators.kit.connection;

/// The reason why [ConnectionLimiter] closed a connection. The name of the reason in lower case is
/// the value of the label `reason` of `pvc_populator_http_connections_closed_total`.
enum CloseReason {
  /// The client sent no request in time.
  LATE,
  /// There was no room for a new connection, and the closed connection was the longest-idle one.
  CROWD,
  /// The heads of all requests took too much memory ([ConnectionLimiter#heads]).
  HEADS,
  /// The client sent too many requests without waiting for answers, or did not read the answers.
  UNREAD
}
