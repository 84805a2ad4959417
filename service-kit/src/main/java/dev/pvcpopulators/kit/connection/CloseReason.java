package dev.pvcpopulators.kit.connection;

/// The reason why the service closed a connection that its client would have kept. Its name in
/// lower case is the value of a metric's label.
enum CloseReason {
  /// It sent no request in time.
  LATE,
  /// It was the longest-idle connection when there was no room for another one.
  CROWD,
  /// The heads of all requests took too much memory ([ConnectionLimiter#heads]).
  HEADS,
  /// It sent too many requests before their answers, or did not read the answers.
  UNREAD
}
