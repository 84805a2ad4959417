package dev.pvcpopulators.kit.connection;

/// The reason why the service closed a connection that its client would have kept. Its name in
/// small letters is the value of a metric's label.
enum CloseReason {
  /// It sent no request in time.
  LATE,
  /// It was the longest-idle connection when there was no room for another one.
  CROWD,
  /// The heads of all requests took too much memory, and those of this connection took the most.
  HEADS,
  /// It sent further requests without reading the answers.
  UNREAD
}
