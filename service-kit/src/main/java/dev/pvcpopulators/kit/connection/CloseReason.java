package dev.pvcpopulators.kit.connection;

/// The reason why the service closed a connection that its client would have kept.
enum CloseReason {
  /// It sent no request in time.
  LATE("late"),
  /// It was the longest-idle connection when there was no room for another one.
  CROWD("crowd"),
  /// The heads of all requests took too much memory, and those of this connection took the most.
  HEADS("heads"),
  /// It sent further requests without reading the answers.
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
