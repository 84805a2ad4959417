package dev.pvcpopulators.volume.connection;

/// Why a connection was closed that its client would have kept.
enum Ending {
  /// It brought no request in time.
  LATE("late"),
  /// Another one came, and there were as many as there may be.
  CROWD("crowd"),
  /// The heads of requests took too much, and its own took most.
  HEADS("heads"),
  /// It asked for more without reading what it had asked for.
  UNREAD("unread");

  private final String word;

  Ending(String word) {
    this.word = word;
  }

  /// As metrics have it.
  String word() {
    return word;
  }
}
