package dev.pvcpopulators.kit.connection;

/// The reason why the service closed a connection that its client would have kept open.
enum CloseReason {
  /// The client sent no request in time.
  LATE("late"),
  /// The connection was the longest-idle one when there was no room for a new connection.
  CROWD("crowd"),
  /// The heads of all requests took too much memory, and those of this connection took the most.
  HEADS("heads"),
  /// The client sent further requests without reading the answers.
  UNREAD("unread");

  private final String word;

  CloseReason(String word) {
    this.word = word;
  }

  /// Returns the value of the metric's label.
  String word() {
    return word;
  }
}
